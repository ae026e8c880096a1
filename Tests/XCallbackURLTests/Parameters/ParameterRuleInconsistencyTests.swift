import Testing
import XCallbackURL

struct ParameterRuleInconsistencyTests {
    static let inconsistent: [(rule: ParameterRule, key: String, message: String)] = [
        (rule(.integer) { $0.minimum = .number(0.5) }, "min", "min of an int must be a whole number"),
        (rule(.integer) { $0.minimum = .init("9223372036854775808") }, "min", "min of an int is beyond 64 bits"),
        (rule(.integer) { $0.minimum = .init("1e3") }, "min", "min of an int must be a whole number"),
        (rule(.date) { $0.minimum = .integer(0) }, "min", "min is for int and number only"),
        (rule(.string) { $0.maximum = .number(0.5) }, "max", "max is for int and number only"),
        (limited(.integer, .integer(3), .integer(2)), "min", "min 3 is greater than max 2"),
        (rule(.integer) { $0.minimumLength = 1 }, "min-length", "min-length is for string, url and data only"),
        (rule(.string) { $0.minimumLength = -1 }, "min-length", "min-length must not be negative"),
        (lengths(3, 2), "min-length", "min-length 3 is greater than max-length 2"),
        (rule(.url) { $0.charset = try? ParameterCharset("a-z") }, "charset", "charset is for string only"),
        (rule(.string) { $0.schemes = ["https"] }, "schemes", "schemes is for url only"),
        (rule(.url) { $0.schemes = [] }, "schemes", "schemes needs at least one scheme"),
        (
            rule(.url) { $0.schemes = ["https:"] }, "schemes",
            "'https:' is not a scheme: write its name, such as https"
        ),
        (rule(.integer) { $0.defaultTexts = ["x"] }, "default", "the default must be a whole number"),
        (rule(.string) { $0.defaultTexts = [] }, "default", "the default must be one value"),
        (withDefault("2", limited(.integer, .integer(3), nil)), "default", "the default must be at least 3"),
        (withDefault("abc", lengths(0, 2)), "default", "the default must be at most 2 characters long"),
    ]

    static let consistent: [ParameterRule] = [
        rule(.integer) { _ in }, limited(.integer, .integer(3), .integer(3)),
        limited(.number, .integer(0), .number(0.5)),
        lengths(2, 2), rule(.url) { $0.maximumLength = 0 }, rule(.data) { $0.minimumLength = 16 },
        rule(.string) {
            $0.charset = try? ParameterCharset("a-z"); $0.defaultTexts = ["abc"]
        },
        rule(.boolean) {
            $0.defaultTexts = ["yes"]; $0.isRequired = false; $0.allowsLeadingDash = true
        },
        rule(.integer) {
            $0.isList = true; $0.defaultTexts = []
        },
        rule(.integer) {
            $0.isList = true; $0.defaultTexts = ["1", "2"]
        },
        rule(.enumeration(["\u{e9}", "e\u{301}"])) { $0.defaultTexts = ["e\u{301}"] },
    ]

    @Test(arguments: inconsistent)
    func anInconsistencyIsNamedWithItsKey(rule: ParameterRule, key: String, message: String) {
        #expect(rule.inconsistencies().map(\.key) == [key])
        #expect(rule.inconsistencies().map(\.message) == [message])
    }

    @Test(arguments: consistent)
    func aRuleThatMakesSenseHasNone(rule: ParameterRule) {
        #expect(rule.inconsistencies() == [])
    }

    @Test func allInconsistenciesAreReportedAtOnce() {
        let rule = rule(.date) {
            $0.minimum = .integer(1)
            $0.maximum = .integer(0)
            $0.minimumLength = 1
            $0.charset = try? ParameterCharset("a")
            $0.defaultTexts = ["x"]
        }
        #expect(rule.inconsistencies().map(\.key) == ["min", "max", "min-length", "charset", "default"])
    }

    @Test func everyWrongElementOfADefaultIsReported() {
        let rule = rule(.integer) {
            $0.isList = true; $0.defaultTexts = ["1", "x", "y"]
        }
        #expect(rule.inconsistencies().map(\.key) == ["default", "default"])
    }

    static func limited(
        _ type: ParameterType, _ minimum: ParameterRule.Bound?, _ maximum: ParameterRule.Bound?
    ) -> ParameterRule {
        rule(type) {
            $0.minimum = minimum; $0.maximum = maximum
        }
    }

    static func lengths(_ minimum: Int, _ maximum: Int) -> ParameterRule {
        rule(.string) {
            $0.minimumLength = minimum; $0.maximumLength = maximum
        }
    }

    static func withDefault(_ text: String, _ rule: ParameterRule) -> ParameterRule {
        var rule = rule
        rule.defaultTexts = [text]
        return rule
    }
}
