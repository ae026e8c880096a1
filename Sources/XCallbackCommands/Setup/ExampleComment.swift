import Glibc
import XCallbackLinux

/// What the comment at the top of an example says, to people and to `xcallback setup`.
///
/// A line `# setup: WORD VALUE` is for the command: `try URL` shows that the example works, `show URL` succeeds once that
/// has had its effect, `keeps PATH` is where the example puts what it makes, and `system` marks an example for the daemon
/// of the system.
package struct ExampleComment: Hashable, Sendable {
    /// The first sentence.
    package let summary: String
    /// The commands that it shows.
    package let commands: [String]
    /// A URL that shows that the example works; nil if there is none.
    package let trial: String?
    /// A URL that succeeds once the trial has had its effect; nil if there is none.
    package let effect: String?
    /// Where the example puts what it makes; nil if it makes nothing.
    package let data: String?
    /// Whether the example is for the daemon of the system.
    package let isForSystem: Bool

    /// Reads the comment of a file.
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
        isForSystem = value("system") != nil
    }

    /// Whether something is where the example puts what it makes; true if it does not say where.
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
