import Glibc
import XCallbackLinux

/// The comment at the top of an example, for people and `xcallback setup`.
///
/// A line `# setup: WORD VALUE` is for the command: `try URL` tests the example, `show URL` succeeds once the test has had its
/// effect, `keeps PATH` is the location of the example's data, `browser LINE` is the line that opens a link in the user's
/// present browser, and `system` marks an example for the system's daemon.
package struct ExampleComment: Hashable, Sendable {
    /// The first sentence.
    package let summary: String
    /// The commands in the comment.
    package let commands: [String]
    /// The URL that tests the example; nil if none.
    package let trial: String?
    /// The URL that succeeds once the test has had its effect; nil if none.
    package let effect: String?
    /// The location of the example's data; nil if it has none.
    package let data: String?
    /// The line that opens a link in the user's present browser; nil if the example is not for links of the web.
    package let browserLine: String?
    /// Whether the example is for the system's daemon.
    package let isForSystem: Bool

    /// Parses the comment of a file.
    ///
    /// - Parameter text: The text of the file.
    package init(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("#") }
            .map { $0.dropFirst() }
        let paragraph = lines.prefix { !$0.allSatisfy { $0 == " " } }.joined(separator: "").drop { $0 == " " }
        summary = Self.firstSentence(of: String(paragraph))
        commands = lines.filter { $0.hasPrefix("   xcallback ") }.map { String($0.drop { $0 == " " }) }
        func value(_ word: String) -> String? {
            let start = " setup: \(word)"
            return lines.first { $0 == start || $0.hasPrefix("\(start) ") }.map { line in
                String(line.dropFirst(start.count).drop { $0 == " " })
            }
        }
        trial = value("try")
        effect = value("show")
        data = value("keeps")
        browserLine = value("browser")
        isForSystem = value("system") != nil
    }

    /// Whether data of the example exists; true if its location is unknown.
    ///
    /// The path may begin with the user's home as `~`.
    var mayHaveMadeSomething: Bool {
        guard let data else { return true }
        return access(data.hasPrefix("~/") ? (variable("HOME") ?? "") + data.dropFirst() : data, F_OK) == 0
    }

    private static func firstSentence(of text: String) -> String {
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.index(after: end)
            if text[end] == ".", next == text.endIndex || text[next] == " " { return String(text[..<next]) }
            end = next
        }
        return text
    }
}
