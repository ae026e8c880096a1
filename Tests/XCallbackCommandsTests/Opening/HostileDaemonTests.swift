import Glibc
import TestSupport
import Testing

/// What the commands open, whatever a daemon sends: another user's daemon may have been taken over.
@Suite(.blocking)
struct HostileDaemonTests {
    private static let dangerous = [
        "/bin/sh", "--help", "-x:y", "", "no scheme", "javascript:alert(1)", "file:///etc/passwd", "DATA:,x",
        "ms-word:ofe|u|x", "app:/a b",
    ]

    /// Whether a command with an opener has started it.
    private static func opens(_ command: [String], replies: [String]) throws -> (Bool, ProgramResult) {
        let workspace = try CommandWorkspace()
        try workspace.write("#!/bin/sh\n: >opened\n", to: "opener")
        chmod("\(workspace.directory)/opener", 0o700)
        let daemon = try ScriptedDaemon(path: workspace.socket)
        let program = try SpawnedProgram(
            "xcallback", command + ["--socket", workspace.socket, "--opener", "\(workspace.directory)/opener"],
            environment: ["PATH=/usr/bin:/bin"], in: workspace.directory)
        _ = try daemon.converse(replies)
        _ = consume daemon
        let result = try program.finish()
        return (access("\(workspace.directory)/opened", F_OK) == 0, result)
    }

    private static func answer(opening url: String) -> String {
        #"{"parameters":{"outcome":"success","answer":"app:/a","items":[],"by":"handler","open":"\#(url)"}}"#
    }

    @Test(arguments: dangerous)
    func handleOpensNoPathAndNothingThatRunsCode(url: String) throws {
        let (isOpened, result) = try Self.opens(["handle", "notes:/a"], replies: [Self.answer(opening: url)])
        #expect(!isOpened)
        #expect(result.status != 0)
        #expect(result.errors.contains("the callback was not opened: "), "\(result.errors)")
    }

    @Test func handleOpensACallback() throws {
        let reply = Self.answer(opening: "app:/a?b=%20")
        let (isOpened, result) = try Self.opens(["handle", "notes:/a"], replies: [reply])
        #expect(isOpened)
        #expect(result.status == 0)
    }

    @Test(arguments: dangerous + ["other:/a"])
    func callOpensOnlyTheSchemeThatItWasAskedFor(url: String) throws {
        let first = #"{"parameters":{"open":"\#(url)","limit":5},"continues":true}"#
        let (isOpened, result) = try Self.opens(["call", "app:/do"], replies: [first])
        #expect(!isOpened)
        #expect(result.status != 0)
    }
}
