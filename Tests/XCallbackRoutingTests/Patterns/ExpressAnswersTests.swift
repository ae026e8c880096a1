import Glibc
import Testing
import XCallbackRouting
import XCallbackTesting

/// Patterns against path-to-regexp 8.4.2, which Express 5 uses: its answers are in a file, and what differs is named there
/// as Docs/Explanation/ComingFrom.md names it.
///
/// `EXPRESS_ANSWERS=FILE` reads other answers, and prints those that differ and have no name.
struct ExpressAnswersTests {
    /// A line of the file: a pattern, a path, the answer, and the name of the difference, with tabs between.
    ///
    /// An answer is `no`, `fault` for a pattern that is refused, or `yes` and each capture as `name=value`, with a slash
    /// between the segments of a list.
    private struct Line {
        let pattern: String
        let path: String
        let answer: String
        let difference: String?

        init(_ text: Substring) throws {
            let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 3 || fields.count == 4 else { throw TestFailure("not an answer: \(text)") }
            (pattern, path, answer) = (fields[0], fields[1], fields[2])
            difference = fields.count == 4 ? fields[3] : nil
        }

        /// The answer here; values are encoded as in the path.
        var ownAnswer: String {
            let answer: Answer?
            do {
                answer = try RoutingTable([pattern]).answer(path, patterns: [pattern])
            } catch {
                return "fault"
            }
            guard let answer else { return "no" }
            let names = (try? RoutePattern(pattern).captures) ?? []
            let captures = names.compactMap { name in
                answer.captures[name.name].map { values in
                    " \(name.name)=" + values.map(Self.encoded).joined(separator: "/")
                }
            }
            return "yes" + captures.joined()
        }

        private static func encoded(_ text: String) -> String {
            text.utf8.reduce(into: "") { encoded, byte in
                let isPlain = (0x21...0x7E).contains(byte) && byte != 0x25 && byte != 0x2F
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += isPlain ? String(Unicode.Scalar(byte)) : "%\(byte < 16 ? "0" : "")\(digits)"
            }
        }
    }

    private static func lines(_ text: String) throws -> [Line] {
        try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { try Line($0) }
    }

    @Test func whatIsNotNamedAsADifferenceAgrees() throws {
        let lines = try Self.lines(textOfPackageFile("Tests/Express/answers.txt"))
        #expect(lines.count > 300)
        for line in lines {
            if line.difference == nil {
                #expect(line.ownAnswer == line.answer, "\(line.pattern) \(line.path)")
            } else {
                #expect(line.ownAnswer != line.answer, "\(line.pattern) \(line.path)")
            }
        }
    }

    @Test func eachDifferenceIsNamedInTheDocument() throws {
        let lines = try Self.lines(textOfPackageFile("Tests/Express/answers.txt"))
        let document = try textOfPackageFile("Docs/Explanation/ComingFrom.md")
        let start = try #require(document.firstRange(of: "## Differences from path-to-regexp"))
        let table = document[start.upperBound...].prefix { $0 != "#" }
        let named = table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { row in
            String(row.dropFirst(2).prefix { $0 != "|" }.dropLast())
        }
        #expect(Set(named) == Set(lines.compactMap(\.difference)))
    }

    @Test(.enabled(if: getenv("EXPRESS_ANSWERS") != nil, "a file of answers, by hand only"))
    func otherAnswersAreCompared() throws {
        let path = getenv("EXPRESS_ANSWERS").map { String(cString: $0) } ?? ""
        for line in try Self.lines(textOfFile(path)) where line.difference == nil && line.ownAnswer != line.answer {
            print("differs\t\(line.pattern)\t\(line.path)\t\(line.answer)\t\(line.ownAnswer)")
        }
    }
}
