import TestSupport
import Testing
import XCallbackURL

struct ParameterCharsetTests {
    static let sets: [(String, inside: String, outside: String)] = [
        ("abc", "abccba", "d-"), ("a-z", "az", "AZ-`{0"), ("a-zA-Z0-9_-", "aZ9_-", ". /@[`{"),
        ("-a", "-a", "b"), ("a-", "-a", "b"), ("-", "-", "a"), ("--z", "-.09Zaz", ",{"), ("+--", "+,-", ".*"),
        ("a\\-z", "a-z", "b"), ("\\\\", "\\", "a"), ("\\^a", "^a", "b"), ("a^", "a^", "b"), ("\\[:a", "[:a", "b"),
        ("[]", "[]", ":"), ("\\]", "]", "["), ("!-\\-", "!,-", "."), (" -~", " a~", "\t\u{7f}é"),
        ("äöü", "äöü", "aëÿ"), ("а-я", "амя", "Аё"), ("😀-😂", "😀😁😂", "😃"), ("\u{0}-\u{10ffff}", "\u{0}a😀", ""),
        ("z-é", "z{é", "yê"),
    ]

    static let faults: [(text: String, fault: ParameterCharsetError, description: String)] = [
        ("", .empty, "the set of characters is empty"),
        ("^a", .negation, "a set cannot be negated; write '\\^' for the character"),
        ("[:alpha:]", .characterClass, "classes such as [:alpha:] are not known; write '\\[' for the character"),
        ("a[=e=]", .characterClass, "classes such as [:alpha:] are not known; write '\\[' for the character"),
        ("[.-.]", .characterClass, "classes such as [:alpha:] are not known; write '\\[' for the character"),
        ("a-c-e", .ambiguousHyphen, "a '-' is neither first nor last nor between two characters; write '\\-'"),
        ("a-z-_", .ambiguousHyphen, "a '-' is neither first nor last nor between two characters; write '\\-'"),
        ("z-a", .reversedRange("z", "a"), "the range 'z-a' is reversed"),
        ("\\d", .unknownEscape("d"), "'\\d' is not known; only marks are escaped"),
        ("\\0", .unknownEscape("0"), "'\\0' is not known; only marks are escaped"),
        ("a\\", .unfinishedEscape, "nothing follows the last '\\'"),
    ]

    @Test(arguments: sets)
    func aSetHoldsWhatIsWritten(text: String, inside: String, outside: String) throws {
        let charset = try ParameterCharset(text)
        #expect(charset.contains(allOf: inside))
        for scalar in outside.unicodeScalars {
            #expect(!charset.contains(allOf: inside + String(scalar)), "\(scalar)")
        }
        #expect(charset.text == text)
    }

    @Test(arguments: faults)
    func anInvalidSetNamesItsFault(text: String, fault: ParameterCharsetError, description: String) {
        #expect(throws: fault) { try ParameterCharset(text) }
        #expect(fault.description == description)
    }

    @Test func aTextThatIsNotUTF8IsInNoSet() throws {
        let charset = try ParameterCharset("\u{0}-\u{10ffff}")
        #expect(!charset.contains(allOf: [0x61, 0xED, 0xA0, 0x80]))
        #expect(!charset.contains(allOf: [0xC0, 0x80]))
    }

    @Test func theEmptyTextIsInEverySet() throws {
        expect(try ParameterCharset("a")) { $0.contains(allOf: "") }
    }
}
