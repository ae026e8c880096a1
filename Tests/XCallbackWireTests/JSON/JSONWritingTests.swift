import Testing
import XCallbackWire

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

    @Test(arguments: [0, 1, 7, 8, 9, 15, 16, 17, 25, 511, 512, 513, 1100])
    func aTextIsWrittenTheSameWhereverSomethingHasToBeEscaped(length: Int) {
        let plain = Array(repeating: "é~x!", count: length).joined().unicodeScalars.prefix(length)
        #expect(JSONValue.string(String(String.UnicodeScalarView(plain))).description.utf8.count == plain.utf8Count + 2)
        for position in 0..<length {
            for (special, escaped) in [("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\u{1F}", #"\u001f"#)] {
                let before = String(String.UnicodeScalarView(plain.prefix(position)))
                let after = String(String.UnicodeScalarView(plain.dropFirst(position)))
                let written = JSONValue.string(before + special + after + special).description
                guard written != "\"\(before)\(escaped)\(after)\(escaped)\"" else { continue }
                Issue.record("at \(position) of \(length): \(written)")
            }
        }
    }
}

extension Collection<Unicode.Scalar> {
    fileprivate var utf8Count: Int { reduce(0) { $0 + UTF8.width($1) } }
}
