import Testing
import XCallbackPipeline
import XCallbackRouting
import XCallbackTesting
import XCallbackURL

/// The languages by which conflicts of routes are decided, against the functions that decide a match.
struct ParameterTypeLanguageTests {
    static let types: [ParameterType] = [
        .integer, .number, .boolean, .string, .date, .url, .uuid, .data,
        .enumeration(["low", "12", "a:b", "grün"]), .enumeration(["yes"]),
    ]

    /// Texts that are values, or nearly.
    private static let samples = [
        "0", "-0", "007", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
        "09223372036854775807", "9223372036854775799", "10223372036854775807", "0.5", "-1.25e+10", "1E400", "1e-9",
        "true", "TRUE", "Yes", "yes", "no", "2024-02-29", "2000-02-29", "1900-02-29", "2023-02-28", "2026-12-31",
        "2026-01-31T08:00:00Z", "2026-01-31T23:59:59.123456789+01:00", "https://example.org/a%20b", "a:b",
        "x:ü\u{3000}", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "TWFu", "TWE=", "TQ==", "TQ", "TWE", "T+/_", "T-_8",
        "T+/8", "", "low",
        "grün",
    ]

    private static func check(_ type: ParameterType, _ automaton: TextAutomaton, _ bytes: [UInt8]) {
        let matches = type.matches(bytes.span)
        if automaton.accepts(bytes.span) != matches {
            Issue.record("\(type): \(String(decoding: bytes, as: UTF8.self)) matches: \(matches)")
        }
    }

    @Test(arguments: types)
    func aLanguageHasTheTextsThatMatch(type: ParameterType) {
        let automaton = TextAutomaton(type.captureType.language)
        for sample in Self.samples { Self.check(type, automaton, Array(sample.utf8)) }
        var matching = 0
        var generator = SeededGenerator(seed: 7)
        let alphabets = ["01", "0123456789", "-0123456789.eE+T:Z", "0123456789abcdefF-", "yesnotrueTQ=+/:-_%ü\u{A0}"]
            .map { Array($0) }
        for _ in 0..<40_000 {
            var text = Self.samples.randomElement(using: &generator) ?? ""
            let alphabet = alphabets.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let index = text.indices.randomElement(using: &generator) ?? text.startIndex
                let end = Bool.random(using: &generator) && index < text.endIndex ? text.index(after: index) : index
                let count = Int.random(in: 0...2, using: &generator)
                let characters = (0..<count).compactMap { _ in alphabet.randomElement(using: &generator) }
                text.replaceSubrange(index..<end, with: characters)
            }
            let bytes = Array(text.utf8)
            if type.matches(bytes.span) { matching += 1 }
            Self.check(type, automaton, bytes)
        }
        #expect(matching > 50)
    }

    @Test(arguments: types)
    func shortTextsAreInTheLanguageIfTheyMatch(type: ParameterType) {
        let automaton = TextAutomaton(type.captureType.language)
        for first in UInt8.min...UInt8.max {
            Self.check(type, automaton, [first])
            for second in UInt8.min...UInt8.max where isValid([first, second]) {
                Self.check(type, automaton, [first, second])
            }
        }
    }

    @Test func everyDayIsInTheLanguageIfItExists() {
        let automaton = TextAutomaton(ParameterType.date.captureType.language)
        for year in Array(0...2600) + [9999] {
            for month in 0...13 {
                for day in [0, 1, 28, 29, 30, 31, 32] {
                    let text = [(year, 4), (month, 2), (day, 2)].map { value, count in
                        String(repeating: "0", count: count - String(value).count) + String(value)
                    }
                    Self.check(.date, automaton, Array(text.joined(separator: "-").utf8))
                }
            }
        }
    }

    @Test func everyCharacterIsInAURLIfItMayBe() {
        let automaton = TextAutomaton(ParameterType.url.captureType.language)
        for value in UInt32(1)...0x10_FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            Self.check(.url, automaton, Array("a:\(scalar)".utf8))
        }
    }

    @Test func theValuesAreAllTheTexts() {
        for type in Self.types {
            guard let values = type.captureType.values else { continue }
            #expect(Set(values).count == values.count)
            let automaton = TextAutomaton(type.captureType.language)
            for value in values {
                let matches = type.matches(value.utf8.span) && automaton.accepts(value.utf8.span)
                #expect(matches, "\(value)")
            }
        }
        #expect(ParameterType.boolean.captureType.values?.count == 62)
    }

    /// A URL that is not UTF-8 is never received.
    private func isValid(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }
}
