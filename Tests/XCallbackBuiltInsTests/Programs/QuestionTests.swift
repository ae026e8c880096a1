import TestSupport
import Testing
import XCallbackBuiltIns

/// What the user sees of a question.
struct QuestionTests {
    private static func lines(_ text: String, _ values: String...) throws -> [String] {
        try Question(text, values).lines
    }

    /// What is shown of a value, without the isolates around it.
    private static func shown(_ value: String) throws -> String {
        let line = try Question("{}", [value]).line
        #expect(line.hasPrefix("“") && line.hasSuffix("”"))
        return String(line.dropFirst().dropLast())
    }

    @Test func valuesStandInQuotes() throws {
        expect(try Self.lines("Delete note {}?", "42"), equals: ["Delete note “42”?"])
        expect(try Self.lines("{}{}", "a", ""), equals: ["“a”(empty)"])
        expect(try Question("Keep {}?", [""]).line, equals: "Keep (empty)?")
        expect(try Self.lines("Delete {{{}}} & <b>?\nNow", "-1"), equals: ["Delete {“-1”} & <b>?", "Now"])
        expect(try Question("Now\nor {}?", ["a b"]).line, equals: "Now or “a b”?")
    }

    /// The longest value is shown to its last character, however its lines end.
    @Test(arguments: ["x", "\n", " ", "\u{202E}", "漢"])
    func aWholeValueHasNoEnd(character: String) throws {
        let count = Question.wholeLimit / character.utf8.count
        let lines = try Question("Run {}?", [String(repeating: character, count: count)]).wholeLines
        let shown = ["\n": "⏎", " ": "␣", "\u{202E}": "<U+202E>"][character] ?? character
        #expect(lines.joined().split(separator: shown, omittingEmptySubsequences: false).count == count + 1)
        #expect(lines.last?.hasSuffix("”?") == true && !lines.joined().contains("…"))
    }

    static let faults: [(text: String, values: [String], error: QuestionError)] = [
        ("a {", [], .loneBrace), ("a }", [], .loneBrace), ("{a}", ["b"], .loneBrace), ("{}}", ["b"], .loneBrace),
        ("a", ["b"], .otherCount(placeholders: 0, values: 1)),
        ("{} {}", ["b"], .otherCount(placeholders: 2, values: 1)),
    ]

    @Test(arguments: faults)
    func anotherFormIsAFault(text: String, values: [String], error: QuestionError) {
        #expect(throws: error) { try Question(text, values) }
    }

    @Test(arguments: ["Delete {{}} {}?", "{}", "}}{{"])
    func theWrittenFormIsReadAgain(words: String) throws {
        let written = String(decoding: Question.written(Array(words.utf8)), as: UTF8.self)
        expect(try Question(written).lines, equals: [words])
    }

    static let characters: [(String, String)] = [
        ("a\nb", "a⏎b"), ("a\r\nb", "a⏎b"), ("a\rb", "a<U+000D>b"), ("a\tb", "a<U+0009>b"),
        ("\u{1B}[2J", "<U+001B>[2J"),
        ("\u{7F}\u{85}", "<U+007F><U+0085>"), ("\u{2028}\u{2029}", "<U+2028><U+2029>"),
        ("\u{202E}gnp", "<U+202E>gnp"), ("\u{2066}\u{2069}\u{61C}", "<U+2066><U+2069><U+061C>"),
        ("a\u{200B}b\u{FEFF}", "a<U+200B>b<U+FEFF>"), ("\u{3164}\u{115F}\u{FFA0}", "<U+3164><U+115F><U+FFA0>"),
        ("\u{2800}\u{E0041}\u{E000}", "<U+2800><U+E0041><U+E000>"), ("a\u{A0}b\u{3000}", "a<U+00A0>b<U+3000>"),
        ("\"? Yes\"", "\"? Yes\""), ("“a”″＂", "<U+201C>a<U+201D><U+2033><U+FF02>"),
        ("it's", "it's"), ("''’", "''<U+2019>"), ("a⏎␣↳", "a<U+23CE><U+2423><U+21B3>"),
        (" a  b ", "␣a ␣b␣"), (" ", "␣"), ("<b>&lt;\\n_x", "<b>&lt;\\n_x"),
        ("\u{FDFD}\u{12031}", "<U+FDFD><U+12031>"), ("Ünï\u{308}", "Ünï\u{308}"), ("日本 שלום", "日本 שלום"),
        ("\u{308}a", "<U+0308>a"), ("a \u{308}", "a <U+0308>"), ("\u{202E}\u{308}", "<U+202E><U+0308>"),
        ("a\u{301}\u{302}\u{303}\u{304}\u{305}", "a\u{301}\u{302}\u{303}<U+0304><U+0305>"), ("a\u{20DD}", "a<U+20DD>"),
    ]

    @Test(arguments: characters)
    func whatIsInvisibleOrMisleadingIsACode(value: String, shown: String) throws {
        expect(try Array(Self.shown(value).unicodeScalars), equals: Array(shown.unicodeScalars))
    }

    @Test func aLongValueIsCutAndItsLengthReported() throws {
        let value = String(repeating: "x", count: 1900)
        let cut = "“\(value.prefix(200))…” (the first 200 of 1900 characters)"
        expect(try Question("{}", [value]).line, equals: cut)
        let whole = String(repeating: "x", count: 200)
        expect(try Question("{}", [whole]).line, equals: "“\(whole)”")
        // A code takes more room than a character.
        let turned = String(repeating: "\u{202E}", count: 1900)
        let codes = String(repeating: "<U+202E>", count: 25)
        expect(try Question("{}", [turned]).line, equals: "“\(codes)…” (the first 25 of 1900 characters)")
    }

    @Test func aQuestionShowsTenLinesOfAValue() throws {
        let value = String(repeating: "x", count: 1900)
        let lines = try Self.lines("Add {} now?", value)
        #expect(lines.count == 11 && lines[0] == "Add “\(value.prefix(50))", "\(lines)")
        #expect(lines[1..<9].allSatisfy { $0 == "↳ \(value.prefix(56))" })
        #expect(lines[9] == "↳ \(value.prefix(56))…” ", "\(lines)")
        #expect(lines[10] == "(the first 554 of 1900 characters) now?")
        // Line ends of the value are line ends of the question.
        expect(
            try Self.lines("Add {}?", "one\ntwo\n"), equals: ["Add “\u{2066}one⏎\u{2069}", "↳ \u{2066}two⏎\u{2069}”?"])
        let short = try Self.lines("{}?", String(repeating: "y\n", count: 12))
        let last = "↳ \u{2066}y⏎\u{2069}…” (the first 20 of 24 characters)?"
        #expect(short.count == 10 && short[9] == last, "\(short)")
    }

    @Test func everyValueOfAQuestionIsShown() throws {
        let values = (1...12).map { "\($0)-" + String(repeating: "x", count: 200) }
        let lines = try Question(String(repeating: "{} ", count: 12), values).lines
        for value in values { #expect(lines.contains { $0.contains("“\(value.prefix(4))") }, "\(value.prefix(4))") }
    }

    @Test func aLineThatBeginsWithinAValueBeginsWithAnArrow() throws {
        let lines = try Self.lines("Open {} now?", String(repeating: "x", count: 100))
        #expect(
            lines == ["Open “\(String(repeating: "x", count: 49))", "↳ \(String(repeating: "x", count: 51))” now?"])
        let words = try Self.lines("Open {}?", String(repeating: "part ", count: 19) + "end")
        #expect(words.count == 2 && words[0].hasSuffix("part ") && words[1].hasPrefix("↳ part "), "\(words)")
    }

    static let values = ["W", "x", "\u{202E}", "漢", "é", " ", "\n", "a\u{301}", "\u{FDFD}", "𝔘", "x ", "'", "🙂"]

    /// As many lines as have room above the buttons, none of them wider than half a screen.
    @Test(arguments: values)
    func noValueTakesMuchRoom(value: String) throws {
        let value = String(repeating: value, count: 5000)
        let lines = try Self.lines("Send {} and {} to {} and {}?", value, value, value, value)
        #expect(lines.count <= 26)
        for line in lines { #expect(line.unicodeScalars.count { $0.properties.generalCategory != .format } <= 120) }
    }

    @Test func theDirectionOfAValueEndsWithIt() throws {
        let hebrew = "שלום"
        let line = "Send “\u{2066}\(hebrew)\u{2069}” to “\u{2066}Ada\u{2069}”?"
        expect(try Self.lines("Send {} to {}?", hebrew, "Ada"), equals: [line])
        let long = try Self.lines("Send {}", String(repeating: "ש", count: 60))
        #expect(long.count == 3)
        for line in long {
            #expect(line.contains("\u{2066}") && line.hasSuffix("\u{2069}") || line.hasSuffix("\u{2069}”"), "\(line)")
        }
    }
}
