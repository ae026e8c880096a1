import TestSupport
import Testing
import XCallbackRouter
import XCallbackURL

struct InputTests {
    /// What a query becomes, or the message of the error.
    private static func decoded(
        _ query: String, _ rule: ParameterRule, named name: String = "k", isStrict: Bool = false, isForm: Bool = false
    ) throws -> String {
        let route = try Route(
            "notes:/a{/:c}{/*w}", readsForms: isForm,
            input: Input([Input.Declaration(name: name, rule: rule)], isStrict: isStrict),
            .immediate(Answering { .success(["seen": $0.parameters.texts.joined(separator: "|")]) }))
        var conversation = try Conversation([route])
        let separator = query.hasPrefix("/") ? "" : "?"
        let answer = try ActionURL(conversation.answer(to: "notes:/a\(separator)\(query)"))
        if let code = answer.items["errorCode"] { #expect(code == "422") }
        return answer.items["seen"] ?? answer.items["errorMessage"] ?? "nothing"
    }

    private static func rule(
        _ type: ParameterType, isRequired: Bool = false,
        defaults: [String]? = nil
    ) -> ParameterRule {
        var rule = ParameterRule(type: type)
        rule.isRequired = isRequired
        rule.defaultTexts = defaults
        return rule
    }

    static let mistypes: [(ParameterType, String)] = [
        (.integer, "secret"), (.integer, "1.5"), (.number, "secret"), (.boolean, "secret"), (.date, "2024-02-30"),
        (.uuid, "secret"), (.url, "secret"), (.data, "secret!"), (.enumeration(["read"]), "secret"),
    ]

    @Test(arguments: mistypes)
    func anotherValueIsRefusedByTheParametersNameAlone(type: ParameterType, value: String) throws {
        let message = try Self.decoded("k=\(value)", Self.rule(type))
        #expect(message.hasPrefix("Parameter 'k' must be "))
        #expect(!message.contains(value))
        let listed = try Self.decoded("k=\(value)", ParameterRule(type: type, isList: true))
        #expect(listed.hasPrefix("Each value of parameter 'k' must be "))
        #expect(!listed.contains(value))
    }

    static let all: [ParameterType] = [
        .string, .integer, .number, .date, .url, .uuid, .data, .enumeration(["a"]),
    ]

    @Test(arguments: all)
    func aParameterWithoutValueIsAbsent(type: ParameterType) throws {
        expect(try Self.decoded("k", Self.rule(type, isRequired: true)), equals: "Parameter 'k' is missing.")
        expect(try Self.decoded("", Self.rule(type, isRequired: true)), equals: "Parameter 'k' is missing.")
        expect(try Self.decoded("k&b=1", Self.rule(type)), equals: "b=1")
        expect(try Self.decoded("k&b=1", Self.rule(type, defaults: ["d"])), equals: "b=1|k=d")
    }

    @Test(arguments: all + [.boolean])
    func anEmptyValueIsAString(type: ParameterType) throws {
        expect(try Self.decoded("k=", Self.rule(type)), equals: (type == .string ? "k=" : "Parameter 'k' is empty."))
    }

    @Test func aFlagIsTrue() throws {
        expect(try Self.decoded("k", Self.rule(.boolean, isRequired: true)), equals: "k=true")
        expect(try Self.decoded("", Self.rule(.boolean, isRequired: true)), equals: "Parameter 'k' is missing.")
        expect(try Self.decoded("a", Self.rule(.boolean, defaults: ["false"])), equals: "a|k=false")
    }

    @Test(arguments: ["k=1&k=2", "k=1&k", "k&k=1", "k=1&a&%6B=1"])
    func whatIsNoListMayNotRepeat(query: String) throws {
        expect(try Self.decoded(query, Self.rule(.integer)), equals: "Parameter 'k' is given more than once.")
    }

    static let lists: [(String, String)] = [
        ("k=a&k=b", "k=a|k=b"), ("k=a,b", "k=a|k=b"), ("k=a,b&z=1&k=c", "k=a|k=b|k=c|z=1"), ("k=a%2Cb", "k=a,b"),
        ("k=a%2Cb,c", "k=a,b|k=c"), ("k.0=a&k.1=b", "k=a|k=b"), ("k.10=c&k.9=b&k.1=a", "k=a|k=b|k=c"),
        ("k=a&k.0=b", "k=a|k=b"), ("k.0=a,b", "k=a,b"), ("k", "k"), ("k=", "k="), ("k=,", "k=|k="), ("k&k=a", "k=a"),
        ("%6B=a,b", "k=a|k=b"), ("k=é,%C3%A9", "k=é|k=é"), ("k=a%25,b", "k=a%|k=b"), ("k.=a", "k.=a"),
        ("k.a=b", "k.a=b"),
        ("k.-1=b", "k.-1=b"), ("k.1", "k"), ("k&k", "k"), ("k2=a", "k2=a"), ("k=a+b,c", "k=a+b|k=c"),
        ("k.0=a&k.00=b", "Parameter 'k' has an index more than once."),
    ]

    @Test(arguments: lists)
    func aListIsWrittenAsRepeatsCommasOrIndexes(query: String, items: String) throws {
        var rule = ParameterRule(type: .string, isList: true)
        rule.isRequired = false
        expect(try Self.decoded(query, rule).replacing("nothing", with: ""), equals: items)
    }

    @Test func theElementsOfAListAreOfItsType() throws {
        var rule = ParameterRule(type: .boolean, isList: true)
        rule.isRequired = false
        rule.defaultTexts = ["true", "false"]
        expect(try Self.decoded("k=yes,0", rule), equals: "k=true|k=false")
        expect(try Self.decoded("k=yes,", rule), equals: "Parameter 'k' is empty.")
        expect(try Self.decoded("", rule), equals: "k=true|k=false")
        expect(try Self.decoded("k.0=no", rule), equals: "k=false")
    }

    @Test func aListIsEmptyByDefault() throws {
        var rule = ParameterRule(type: .string, isList: true)
        rule.defaultTexts = []
        expect(try Self.decoded("", rule), equals: "k")
        expect(try Self.decoded("k=a", rule), equals: "k=a")
    }

    @Test func aCaptureIsDecodedAsWell() throws {
        expect(try Self.decoded("/yes?c=no", Self.rule(.boolean), named: "c"), equals: "c=true")
        expect(try Self.decoded("/a%2Cb?c=no", ParameterRule(type: .string, isList: true), named: "c"), equals: "c=a,b")
    }

    @Test func aWildcardIsAList() throws {
        let rule = ParameterRule(type: .string, isList: true)
        expect(try Self.decoded("/1/a/b%2Fc,d?w=e", rule, named: "w"), equals: "c=1|w=a|w=b/c,d")
    }

    static let strict: [(String, String)] = [
        ("k=1", "k=1"), ("/x?k=1", "c=x|k=1"), ("k=1&X-Other=2", "k=1"), ("", "nothing"),
        ("k=1&z=secret", "This action has no parameter 'z'."),
        ("K=1", "This action has no parameter 'K'."),
        ("k=1&", "k=1"), ("k=1&=2", "This action has no parameter ''."),
    ]

    @Test(arguments: strict)
    func aStrictRouteTakesWhatItDeclares(query: String, result: String) throws {
        let decoded = try Self.decoded(query, Self.rule(.integer), isStrict: true)
        #expect(decoded == (result == "nothing" ? "" : result))
    }

    @Test func aFormWritesBlanksAsPlus() throws {
        expect(try Self.decoded("k=a+b%2Bc", Self.rule(.string), isForm: true), equals: "k=a b+c")
        let list = ParameterRule(type: .string, isList: true)
        expect(try Self.decoded("k=a+b,c%2B%2Cd", list, isForm: true), equals: "k=a b|k=c+,d")
        expect(try Self.decoded("k=a+b", Self.rule(.string)), equals: "k=a+b")
    }
}
