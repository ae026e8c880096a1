import Testing
import XCallbackConfiguration

struct ExcerptTests {
    /// A line, what is wrong in it, and the columns and excerpt that are told.
    static let rows: [(String, String)] = [
        ("ab: [1, BAD]", "1:9|  1 | ab: [1, BAD]|    |         ^~~"),
        ("ä: [ö, BAD]", "1:8|  1 | ä: [ö, BAD]|    |        ^~~"),
        ("e\u{301}: [o\u{308}, BAD]", "1:8|  1 | e\u{301}: [o\u{308}, BAD]|    |        ^~~"),
        ("漢字: [BAD]", "1:6|  1 | 漢字: [BAD]|    |        ^~~"),
        ("👨‍👩‍👧: [🇩🇪, BAD]", "1:8|  1 | 👨‍👩‍👧: [🇩🇪, BAD]|    |          ^~~"),
        ("a: [❤️, ☺, BAD]", "1:11|  1 | a: [❤️, ☺, BAD]|    |            ^~~"),
        ("a: [1,\tBAD]", "1:8|  1 | a: [1,    BAD]|    |           ^~~"),
        ("a: [\"\u{202E}x\", BAD]", "1:11|  1 | a: [\"<U+202E>x\", BAD]|    |                  ^~~"),
        ("a: [\"BAD ü漢\"]", "1:5|  1 | a: [\"BAD ü漢\"]|    |     ^~~~~~~~~"),
        ("\n\n\n\n\n\n\n\n\na: [BAD]", "10:5|  10 | a: [BAD]|     |     ^~~"),
        ("a: [BAD,\n  x]", "1:5|  1 | a: [BAD,|    |     ^~~"),
    ]

    @Test(arguments: rows)
    func theCaretStandsBelowItsCharacter(yaml: String, expected: String) {
        let printed = printedFaults(yaml) { node, faults in
            guard case .mapping(let members) = node.content else { return }
            guard let items = members.first?.value.items(faults) else { return }
            for item in items where item.string(faults)?.contains("BAD") == true {
                faults.report("bad", at: item.place)
            }
        }
        let lines = printed.split(separator: "\n").joined(separator: "|")
        #expect(lines == "config.yaml:" + expected.replacingFirst("|", with: ": bad|"))
    }

    static let longLines: [(before: Int, after: Int, line: String, caret: String)] = [
        (0, 90, "bad" + String(repeating: "y", count: 90), "^~~"),
        (0, 200, "bad" + String(repeating: "y", count: 93) + "…", "^~~"),
        (
            200, 0, "…" + String(repeating: "x", count: 93) + "bad",
            String(repeating: " ", count: 94) + "^~~"
        ),
        (
            200, 200, "…" + String(repeating: "x", count: 48) + "bad" + String(repeating: "y", count: 45) + "…",
            String(repeating: " ", count: 49) + "^~~"
        ),
    ]

    @Test(arguments: longLines)
    func aLongLineIsCutAroundTheCaret(before: Int, after: Int, line: String, caret: String) {
        let text = String(repeating: "x", count: before) + "bad" + String(repeating: "y", count: after)
        let printed = printedFaults(text) { node, faults in
            faults.report("bad", at: Place(file: "config.yaml", line: 1, column: before + 1, length: 3))
        }
        #expect(printed == "config.yaml:1:\(before + 1): bad\n  1 | \(line)\n    | \(caret)")
    }

    @Test func anUnderlineEndsWithTheLine() {
        let printed = printedFaults("abc\n") { _, faults in
            faults.report("bad", at: Place(file: "config.yaml", line: 1, column: 2, length: 50))
            faults.report("far", at: Place(file: "config.yaml", line: 1, column: 99))
            faults.report("off", at: Place(file: "config.yaml", line: 9, column: 9))
        }
        #expect(
            printed == """
                config.yaml:1:2: bad
                  1 | abc
                    |  ^~
                config.yaml:1:99: far
                  1 | abc
                    |    ^
                config.yaml:9:9: off
                  9 |
                    | ^
                """
        )
    }

    @Test func aPileOfAccentsIsCut() {
        let printed = printedFaults("a" + String(repeating: "\u{301}", count: 10_000)) { node, faults in
            faults.report("bad", at: node.place)
        }
        #expect(printed.unicodeScalars.count < 100)
    }
}

extension String {
    fileprivate func replacingFirst(_ character: Character, with text: String) -> String {
        guard let index = firstIndex(of: character) else { return self }
        return self[..<index] + text + self[self.index(after: index)...]
    }
}
