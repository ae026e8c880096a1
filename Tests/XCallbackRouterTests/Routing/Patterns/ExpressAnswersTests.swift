import Testing
import XCallbackRouter
import XCallbackTesting

/// Patterns against path-to-regexp 8.4.2, which Express 5 uses: its answers are in a file, and what differs is named there
/// as Docs/Explanation/ComingFrom.md names it.
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

    @Test func whatIsNotNamedAsADifferenceAgrees() throws {
        let text = try textOfPackageFile("Tests/Express/answers.txt")
        let lines = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { try Line($0) }
        #expect(lines.count > 300)
        for line in lines {
            if line.difference == nil {
                #expect(line.ownAnswer == line.answer, "\(line.pattern) \(line.path)")
            } else {
                #expect(line.ownAnswer != line.answer, "\(line.pattern) \(line.path)")
            }
        }
    }
}
