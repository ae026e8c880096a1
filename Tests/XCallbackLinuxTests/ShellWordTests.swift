import Glibc
import Testing
import XCallbackLinux

/// Texts as a shell reads one word.
struct ShellWordTests {
    private static let shells = ["/bin/sh", "/bin/bash", "/usr/bin/zsh", "/usr/bin/fish"]
    private static let texts = [
        "", "plain", "a b", "it's", "''", "$HOME `id` \\", "a\nb", "é", "a'\u{301}; id; '", "~", "~root/a", "a=~",
        "=ls", "a=b",
        "*", "?", "[a-z]", "{a,b}", "#a", "!a", "-n", "a;b", "a&b", "a|b", "<a>", "(a)", "\\\\", "\\'", "\t", "\"",
        "%self", "^a",
    ]

    @Test(arguments: shells.filter { access($0, X_OK) == 0 }, texts)
    func aShellReadsTheText(shell: String, text: String) {
        let run = ToolRun(asking: [shell, "-c", "printf %s \(text.shellWord)"])
        #expect(run.ending == .exited(0))
        #expect(Array(run.output.utf8) == Array(text.utf8))
    }
}
