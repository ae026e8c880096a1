import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// What the command says where it has nothing to show; `Tests/SystemTests/request-log` has it read the real journal.
@Suite(.blocking)
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

    @Test func entriesAreInOrderOfTimeAndThenTheCommandForTheProgram() throws {
        let workspace = try CommandWorkspace()
        try workspace.write(
            #"""
            #!/bin/sh
            print() { printf '{"MESSAGE":"%s","_SOURCE_REALTIME_TIMESTAMP":"%s","_BOOT_ID":"b",%s}\n' "$@"; }
            of='"_SYSTEMD_UNIT":"xcallbackd.service","XCALLBACK_PROGRAM_UNIT":"xcallback-1.scope"'
            case "$*" in
            *XCALLBACK_REQUEST_ID=7h3kq2vd-41*) print ended 3000000 "$of"; print begun 1000000 "$of" ;;
            esac

            """#, to: "journalctl")
        chmod("\(workspace.directory)/journalctl", 0o755)
        let path = "PATH=\(workspace.directory):/usr/bin:/bin"
        let result = try workspace.run("log", "7h3kq2vd-41", environment: [path])
        let lines = result.output.split(separator: "\n").dropFirst()
        #expect(lines.prefix(2).map { $0.split(separator: " ").last } == ["begun", "ended"], "\(result)")
        #expect(lines.last == "What its program wrote: journalctl --boot=b --unit=xcallback-1.scope", "\(result)")
    }

    private static let hasTool = access("/usr/bin/journalctl", X_OK) == 0 && access("/run/systemd/journal", F_OK) != 0

    @Test(.enabled(if: hasTool, "needs journalctl on a machine without a journal"))
    func withoutAJournalTheLogIsElsewhere() throws {
        let result = try CommandWorkspace().run("log", "7h3kq2vd-41")
        #expect(result.status == 1)
        #expect(result.errors.contains("there is no journal here, so the daemon writes its log to standard error"))
    }
}
