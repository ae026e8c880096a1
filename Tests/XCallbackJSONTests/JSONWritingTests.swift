import Testing
import XCallbackJSON

struct JSONWritingTests {
    static let values: [(value: JSONValue, text: String)] = [
        (.null, "null"), (.bool(true), "true"), (.bool(false), "false"), (.number(-7), "-7"), (.string(""), #""""#),
        (.string("\"\\/"), #""\"\\/""#),
        (
            .string("\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{F}\u{10}\u{1F} \u{7F}"),
            #""\u0000\u0001\u0008\t\n\u000b\u000c\r\u000f\u0010\u001f "# + "\u{7F}\""
        ),
        (.string("é\u{301}\r\n👩‍🚀\u{2028}"), "\"é\u{301}\\r\\n👩‍🚀\u{2028}\""),
        (.array([]), "[]"), (.array([.null, .array([])]), "[null,[]]"),
        ([:], "{}"), (["b": .number(1), "a\n": .null], #"{"b":1,"a\n":null}"#),
    ]

    @Test(arguments: values)
    func aValueIsWrittenByTheBook(value: JSONValue, text: String) {
        #expect(value.description.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test(arguments: ["NaN", "nan", "Infinity", "-Infinity", "inf", "1.", "0x1", ""])
    func whatJSONHasNoNumberForIsNone(text: String) {
        #expect(JSONNumber(text) == nil)
    }
}
