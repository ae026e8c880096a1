import TestSupport
import Testing
import XCallbackURL

struct ParameterRuleTests {
    static let whole = rule(.integer) {
        $0.minimum = .integer(3); $0.maximum = .integer(.max - 1)
    }
    static let decimal = rule(.number) {
        $0.minimum = .number(-0.5); $0.maximum = .integer(10)
    }
    static let text = rule(.string) {
        $0.minimumLength = 2; $0.maximumLength = 4
    }
    static let single = rule(.string) {
        $0.minimumLength = 1; $0.maximumLength = 1
    }
    static let bytes = rule(.data) {
        $0.minimumLength = 1; $0.maximumLength = 3
    }
    static let secret = rule(.data) { $0.minimumLength = 32 }
    static let link = rule(.url) { $0.maximumLength = 10 }
    static let web = rule(.url) { $0.schemes = ["https", "http"] }

    static let faults: [(rule: ParameterRule, text: String, fault: String?)] = [
        (ParameterRule(type: .integer), "x", "a whole number"),
        (ParameterRule(type: .number), "x", "a number"),
        (ParameterRule(type: .boolean), "x", "true or false"),
        (ParameterRule(type: .date), "x", "a date such as 2026-01-31 or 2026-01-31T08:00:00Z"),
        (ParameterRule(type: .url), "x", "an absolute URL"),
        (ParameterRule(type: .uuid), "x", "a UUID"),
        (ParameterRule(type: .data), "x", "base64 or base64url"),
        (ParameterRule(type: .enumeration(["low", "high"])), "x", "one of low, high"),
        (ParameterRule(type: .string), "", nil), (ParameterRule(type: .string), "-rf", nil),
        (whole, "3", nil), (whole, "2", "at least 3"), (whole, "-3", "at least 3"), (whole, "x", "a whole number"),
        (whole, "9223372036854775806", nil), (whole, "9223372036854775807", "at most 9223372036854775806"),
        (decimal, "-0.5", nil), (decimal, "-0.51", "at least -0.5"), (decimal, "10.0", nil),
        (decimal, "10.01", "at most 10"), (decimal, "1e1", nil), (decimal, "1e2", "at most 10"),
        (text, "ab", nil), (text, "a", "at least 2 characters long"), (text, "abcd", nil),
        (text, "abcde", "at most 4 characters long"), (text, "ßßßß", nil), (text, "🇫🇷🇩🇪", nil),
        (text, "e\u{301}e\u{301}e", "at most 4 characters long"),
        (single, "", "at least 1 character long"), (single, "ab", "at most 1 character long"),
        (bytes, "TQ", nil), (bytes, "TWFu", nil), (bytes, "TWFuTQ", "at most 3 bytes long"),
        (secret, "TQ==", "at least 32 bytes long"),
        (ParameterRule(type: .json), "{", "JSON"),
        (web, "https://example.org/", nil), (web, "HTTP:a", nil), (web, "x", "an absolute URL"),
        (web, "ftp://a", "a URL with the scheme https or http"),
        (web, "httpsx:a", "a URL with the scheme https or http"),
        (link, "a:äöü", nil), (link, "a:bcdefghij", "at most 10 characters long"),
    ]

    @Test(arguments: faults)
    func aFaultSaysWhatTheValueMustBe(rule: ParameterRule, text: String, fault: String?) {
        #expect(rule.fault(in: text) == fault, "\(text)")
    }

    @Test func aTextOutsideTheCharsetNamesTheCharset() throws {
        let charset = try ParameterCharset("a-z")
        let rule = rule(.string) { $0.charset = charset }
        #expect(rule.fault(in: "abc") == nil)
        #expect(rule.fault(in: "") == nil)
        #expect(rule.fault(in: "aBc") == "made of a-z only")
    }

    @Test(arguments: [
        ("a-zA-Z0-9_-", "a-z, A-Z, 0-9, '_' and '-'"), ("x", "x"), ("a-z ", "a-z and spaces"),
        (" -~\u{A0}-\u{10FFFF}", "U+0020 to '~' and U+00A0 to U+10FFFF"), ("é\t", "é and U+0009"),
    ])
    func aCharsetIsWrittenAsPeopleReadIt(text: String, phrase: String) throws {
        expect(try ParameterCharset(text).phrase, equals: phrase)
    }

    @Test(arguments: ["9007199254740993", "-9007199254740993", "9223372036854775807"])
    func aWholeBoundIsExactBeyondTheDigitsOfADouble(limit: String) throws {
        let bound = try #require(ParameterRule.Bound(limit))
        let value = try #require(Int64(limit))
        let rule = rule(.integer) {
            $0.minimum = bound; $0.maximum = bound
        }
        #expect(rule.fault(in: limit) == nil)
        #expect(rule.fault(in: "\(value - 1)") == "at least \(limit)")
    }

    @Test(arguments: [
        ("3", ParameterRule.Bound.integer(3)), ("-0", .integer(0)), ("3.0", .number(3)), ("1e3", .number(1_000)),
        ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("x", nil), ("", nil), ("1e999", nil), ("+1", nil),
    ])
    func aBoundIsReadAsAWholeNumberWhereItIsOne(text: String, bound: ParameterRule.Bound?) {
        #expect(ParameterRule.Bound(text) == bound)
    }
}

/// A rule with some changes.
func rule(_ type: ParameterType, _ change: (inout ParameterRule) -> Void) -> ParameterRule {
    var rule = ParameterRule(type: type)
    change(&rule)
    return rule
}
