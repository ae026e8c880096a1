import TestSupport
import Testing
import XCallbackWire

struct JSONParsingTests {
    private static func parse(_ bytes: [UInt8], depth: Int = 64) throws(JSONError) -> JSONValue {
        try JSONValue(parsing: bytes.span, maximumSize: 1 << 20, maximumDepth: depth)
    }

    static let texts: [(text: String, written: String)] = [
        ("null", "null"), (" \t\r\n true \n", "true"), ("false", "false"), ("[ ]", "[]"), ("{ }", "{}"),
        ("[1, 2 ,[3]]", "[1,2,[3]]"), (#"{ "b" : 1 , "a" : {"c":null} }"#, #"{"b":1,"a":{"c":null}}"#),
        ("0", "0"), ("-0", "-0"), ("-0.50", "-0.50"), ("1e5", "1e5"), ("1E+05", "1E+05"), ("1.5e-7", "1.5e-7"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        (#""""#, #""""#), (#""\"\\\/\b\f\n\r\t""#, #""\"\\/\u0008\u000c\n\r\t""#), (#""\u00e9\u00E9""#, "\"éé\""),
        (#""\ud83d\uDE80""#, "\"🚀\""), (#""\u0000""#, #""\u0000""#), ("\"\u{7F}é🚀\"", "\"\u{7F}é🚀\""),
        ("[\"e\u{301}\", \"\u{E9}\"]", "[\"e\u{301}\",\"\u{E9}\"]"),
        ("{\"e\u{301}\":1,\"\u{E9}\":2}", "{\"e\u{301}\":1,\"\u{E9}\":2}"),
    ]

    @Test(arguments: texts)
    func aTextIsReadByTheBook(text: String, written: String) throws {
        expect(try Self.parse(Array(text.utf8)).bytes, equals: Array(written.utf8))
    }

    static let faults: [(text: String, reason: JSONError.Reason, offset: Int)] = [
        ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("nul", .unexpectedEnd, 3), ("nulL", .notAValue, 0),
        ("x", .notAValue, 0), ("[,]", .notAValue, 1), ("[1,]", .notAValue, 3), ("[1 2]", .expected("',' or ']'"), 3),
        ("[1", .unexpectedEnd, 2), ("{", .unexpectedEnd, 1), ("{1:2}", .expected("a name in quotes"), 1),
        (#"{"a" 1}"#, .expected("':'"), 5), (#"{"a":1,}"#, .expected("a name in quotes"), 7),
        (#"{"a":1 "b"}"#, .expected("',' or '}'"), 7), (#"{"a":1,"b":2,"a":3}"#, .repeatedName, 13),
        (#"{"a":1,"\u0061":3}"#, .repeatedName, 7), ("1 2", .trailingText, 2), ("nullx", .trailingText, 4),
        ("01", .trailingText, 1), ("-", .badNumber, 0), ("1.", .badNumber, 0), ("[1.e1]", .badNumber, 1),
        ("1e", .badNumber, 0), ("1e+", .badNumber, 0), ("+1", .notAValue, 0), (".5", .notAValue, 0),
        ("NaN", .notAValue, 0), ("'a'", .notAValue, 0), ("\"a", .unexpectedEnd, 2), ("\"\\", .unexpectedEnd, 2),
        ("\"\n\"", .controlCharacter, 1), ("\"a\tb\"", .controlCharacter, 2), (#""\x""#, .badEscape, 1),
        (#""\u12g4""#, .badEscape, 1), (#""\u12"#, .unexpectedEnd, 5), (#""\ud83d""#, .loneSurrogate, 0),
        (#"["a\ud83dx"]"#, .loneSurrogate, 1), (#""\ude80""#, .loneSurrogate, 0), (#""\ud83d\n""#, .loneSurrogate, 0),
        (#""\ud83d\ud83d""#, .loneSurrogate, 0), ("\u{FEFF}1", .notAValue, 0), ("// x\n1", .notAValue, 0),
    ]

    @Test(arguments: faults)
    func whatIsNotJSONIsReportedWithItsPlace(text: String, reason: JSONError.Reason, offset: Int) {
        let error = #expect(throws: JSONError.self) { try Self.parse(Array(text.utf8)) }
        #expect(error?.reason == reason)
        #expect(error?.offset == offset)
    }

    /// Few names are compared with each other, and many by their hashes.
    @Test(arguments: [1, 15, 16, 17, 100])
    func aRepeatedNameIsFoundAmongAnyNumber(count: Int) throws {
        let members = (0..<count).map { "\"\($0)\":{}" }.joined(separator: ",")
        expect(try Self.parse(Array("{\(members)}".utf8)).bytes, equals: Array("{\(members)}".utf8))
        let error = #expect(throws: JSONError.self) { try Self.parse(Array("{\(members),\"\(count - 1)\":1}".utf8)) }
        #expect(error?.reason == .repeatedName)
        #expect(error?.offset == members.utf8.count + 2)
    }

    @Test func aStringThatIsNotUTF8IsRefused() {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
            let error = #expect(throws: JSONError.self) { try Self.parse([0x22] + bytes + [0x22]) }
            #expect(error?.reason == .notUTF8)
        }
    }

    @Test func depthIsBounded() throws {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            func nested(_ depth: Int) -> [UInt8] {
                let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
                return Array(text.utf8)
            }
            expect(try Self.parse(nested(64)).bytes, equals: nested(64))
            let error = #expect(throws: JSONError.self) { try Self.parse(nested(65)) }
            #expect(error?.reason == .tooDeep(limit: 64))
            #expect(error?.offset == 64 * open.utf8.count)
            let endless = Array(String(repeating: open, count: 100_000).utf8)
            #expect(throws: JSONError.self) { try Self.parse(endless) }
        }
    }

    @Test func membersAndNumbersAreFound() throws {
        let value = try Self.parse(Array(#"{"a": 7, "b": 1.5, "c": [1], "d": 99999999999999999999}"#.utf8))
        func integer(_ name: String) -> Int? {
            if case .number(let number)? = value[name] { number.integer } else { nil }
        }
        #expect(integer("a") == 7)
        #expect(integer("b") == nil)
        #expect(integer("c") == nil)
        #expect(integer("d") == nil)
        #expect(value["e"] == nil)
        #expect(JSONValue.null["a"] == nil)
        #expect(JSONNumber("01") == nil && JSONNumber("") == nil && JSONNumber("1 ") == nil)
    }
}
