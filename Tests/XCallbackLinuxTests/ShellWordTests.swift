import Testing
import XCallbackLinux

/// Texts as a shell reads one word.
struct ShellWordTests {
    @Test(arguments: ["", "plain", "a b", "it's", "''", "$HOME `id` \\", "a\nb", "é", "a'\u{301}; id; '"])
    func aShellReadsTheText(text: String) {
        let run = ToolRun(asking: ["/bin/sh", "-c", "printf %s \(text.shellWord)"])
        #expect(run.ending == .exited(0))
        #expect(Array(run.output.utf8) == Array(text.utf8))
    }
}
