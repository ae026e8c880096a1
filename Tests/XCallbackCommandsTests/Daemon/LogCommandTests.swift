import Glibc
import Testing
import XCallbackTesting

/// What the command says where it has nothing to show; `Tests/SystemTests/request-log` has it read the real journal.
struct LogCommandTests {
    @Test(arguments: [["nonsense"], ["7h3kq2vd-0"]])
    func aRequestIsNamedByItsID(words: [String]) throws {
        let workspace = try CommandWorkspace()
        let result = try workspace.run(["log"] + words)
        #expect(result.status == 64)
        #expect(result.errors.lowercased().contains("id"), "\(result.errors)")
    }

    @Test func aMachineWithoutAJournalHasNone() throws {
        let result = try CommandWorkspace().run("log", "7h3kq2vd-41", environment: ["PATH=/nowhere"])
        #expect(result.status == 1)
        #expect(result.errors.contains("cannot run journalctl to read the journal: No such file"))
    }

    private static let hasTool = access("/usr/bin/journalctl", X_OK) == 0 && access("/run/systemd/journal", F_OK) != 0

    @Test(.enabled(if: hasTool, "needs journalctl on a machine without a journal"))
    func withoutAJournalTheLogIsElsewhere() throws {
        let result = try CommandWorkspace().run("log", "7h3kq2vd-41")
        #expect(result.status == 1)
        #expect(result.errors.contains("there is no journal here, so the daemon writes its log to standard error"))
    }
}
