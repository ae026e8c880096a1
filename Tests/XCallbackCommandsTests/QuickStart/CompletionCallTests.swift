import ArgumentParser
import Glibc
import Testing
import XCallbackTesting

@testable import XCallbackCommands

/// Calls for completion that are answered without ArgumentParser.
@Suite(.timeLimit(.minutes(5)))
struct CompletionCallTests {
    /// A configuration in which each kind of word has candidates of its own.
    private static let configuration = """
        schemes: [notes, tasks]
        routes:
          - route: notes:/add/:id
            title: Add a note
            input: { when: { type: enum, values: [today, tomorrow] } }
            returns: { id: string }
            deliver: editor
          - { route: "tasks:/news", publish: news }
          - { route: "tasks:/list", respond: {} }

        """

    /// What the script of bash asks for: a command, and an argument of it.
    private static var calls: [[String]] {
        CompletionScript.text(for: .bash).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard let start = words.firstIndex(of: "---completion"), words.count > start + 3 else { return nil }
            return Array(words[start..<start + 4])
        }
    }

    @Test func bothAnswerTheSame() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let calls = Self.calls
        try #require(calls.count >= 20)
        var answers: Set<String> = []
        for call in calls {
            let isParameter = call[3].hasPrefix("--")
            let begun = isParameter ? ["notes:/add/7", call[3], ""] : [""]
            let words = ["xcallback", call[1], "--socket", daemon.socket] + begun
            for cursor in [0, 3] {
                let line = call + ["\(words.count - 1)", "\(cursor)"] + words
                let quick = try #require(CompletionCall(line, shell: nil), "\(call) is left to ArgumentParser").answer
                #expect(quick == Self.parserAnswer(line), "\(call)")
                answers.insert(quick)
            }
        }
        #expect(answers.count > 7, "hardly any word has candidates: \(answers)")
    }

    @Test(arguments: [
        [], ["open"], ["---completion"], ["---completion", "open", "--", "--json", "1", "0", "xcallback"],
        ["---completion", "open", "--", "positional@0", "one", "0", "xcallback"],
        ["---completion", "open", "--", "positional@0", "1", "1"],
        ["---completion", "open", "help", "--", "positional@0", "1", "0", "xcallback"],
    ])
    func whatIsNoSuchCallIsLeftToTheParser(line: [String]) {
        #expect(CompletionCall(line) == nil)
    }

    /// What ArgumentParser answers.
    private static func parserAnswer(_ line: [String]) -> String {
        do {
            _ = try RootCommand.parseAsRoot(line)
            return "no answer"
        } catch {
            return RootCommand.fullMessage(for: error)
        }
    }
}
