import Testing
import XCallbackConfiguration

struct CharacterFaultTests {
    private static let hint = "is not allowed here; it can be written as an escape in double quotes"

    static let rows: [(String, String)] = [
        ("a: 1\nb: \u{0}c\n", "2:4: <U+0000> \(hint)\n  2 | b: <U+0000>c\n    |    ^~~~~~~~"),
        ("a: \u{1B}[31m\n", "1:4: <U+001B> \(hint)\n  1 | a: <U+001B>[31m\n    |    ^~~~~~~~"),
        ("a: \u{7F}", "1:4: <U+007F> \(hint)\n  1 | a: <U+007F>\n    |    ^~~~~~~~"),
        ("a: 1 # \rb: 2\n", "1:8: <U+000D> \(hint)\n  1 | a: 1 # <U+000D>b: 2\n    |        ^~~~~~~~"),
        ("ü: \u{2028}", "1:4: <U+2028> \(hint)\n  1 | ü: <U+2028>\n    |    ^~~~~~~~"),
        ("\u{85}", "1:1: <U+0085> \(hint)\n  1 | <U+0085>\n    | ^~~~~~~~"),
        ("a: \u{FEFF}", "1:4: <U+FEFF> \(hint)\n  1 | a: <U+FEFF>\n    |    ^~~~~~~~"),
    ]

    @Test(arguments: rows)
    func aCharacterThatHidesIsRefused(yaml: String, expected: String) {
        #expect(printedFaults(yaml) == "config.yaml:" + expected)
    }

    static let badBytes: [([UInt8], String)] = [
        (Array("a: gr".utf8) + [0xFC] + Array("n\n".utf8), "1:6: expected UTF-8 text, found the byte 0xFC"),
        (Array("a: 1\nb: ".utf8) + [0xE2, 0x82], "2:4: expected UTF-8 text, found the byte 0xE2"),
        ([0xFF, 0xFE, 0x61, 0x00], "1:1: expected UTF-8 text, found the byte 0xFF"),
        ([0xC0, 0x80], "1:1: expected UTF-8 text, found the byte 0xC0"),
        ([0xED, 0xA0, 0x80], "1:1: expected UTF-8 text, found the byte 0xED"),
    ]

    @Test(arguments: badBytes)
    func aByteThatIsNotUTF8IsNamed(bytes: [UInt8], expected: String) {
        #expect(printedFaults(bytes).hasPrefix("config.yaml:\(expected)\n"))
    }

    @Test func aFileOfWindowsIsReadAsAnyOther() {
        let yaml = "\u{FEFF}a: 1\r\nb: |\r\n  x\r\n  y\r\nc: @\r\n"
        #expect(
            printedFaults(yaml) == """
                config.yaml:5:4: a text cannot begin with this character; put it in quotes
                  5 | c: @
                    |    ^
                """
        )
        #expect(value(of: "\u{FEFF}a: 1\r\nb: |\r\n  x\r\n", { node, _ in node.outline }) == "{a: 1, b: 'x\n'}")
    }
}
