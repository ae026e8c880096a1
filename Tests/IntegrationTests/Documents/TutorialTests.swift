import Glibc
import Testing
import XCallbackTesting

/// The tutorials that need only a shell and the two programs, verbatim.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct TutorialTests {
    /// The shell session of a page: the written files, the commands, and their output.
    private struct Session {
        var script = ""
        var output = ""

        init(_ page: String) throws {
            let parts = try textOfPackageFile(page).split(separator: "\n```", omittingEmptySubsequences: false)
            // Text and blocks alternate; the text before a block ends with the name of its file.
            for (before, block) in zip(parts, parts.dropFirst()) {
                guard let end = block.firstIndex(of: "\n"), end != block.startIndex else { continue }
                let content = block[block.index(after: end)...]
                switch block[..<end] {
                case "sh": script += "\(content)\n"
                case "text": output += "\(content)\n"
                default:
                    let words = try #require(before.firstMatch(of: /Write this to `([^`]+)`:\s*$/), "\(block)")
                    script += "cat >\(words.1) <<'BLOCK'\n\(content)\nBLOCK\n"
                }
            }
        }
    }

    @Test func theFirstReceiverAnswersAsShown() throws {
        let session = try Session("Docs/Tutorials/FirstReceiver.md")
        let directory = try TemporaryDirectory()
        let programs = try RunningDaemon.program("xcallback").dropLast("/xcallback".count)
        let output = directory.path(of: "output")
        let script = "set -m; cd '\(directory.path)'; trap 'kill $(jobs -p) 2>/dev/null || true' EXIT; exec 2>errors\n"
        let status = try ChildProcess(
            ["/bin/bash", "-e", "-c", script + session.script],
            environment: ["PATH=\(programs):/usr/bin:/bin", "HOME=\(directory.path)"], output: output, error: output
        ).wait()
        let errors = try directory.text(of: "errors")
        #expect(status == 0, "\(errors)")
        #expect(try directory.text(of: "output") == session.output, "\(errors)")
        #expect(errors.contains("error: There is nothing to count. (422)\n"))
    }
}
