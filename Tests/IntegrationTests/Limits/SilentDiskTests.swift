import Glibc
import Testing
import XCallbackJSON
import XCallbackTesting
import XCallbackVarlink

/// What becomes of other clients while a disk does not answer.
@Suite(
    .blocking, .timeLimit(.minutes(10)), .enabled(if: SilentFileSystem.isAvailable, "only root can mount a file system")
)
struct SilentDiskTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: app:/ping, respond: { pong: 1 } }
        """
    private static let pong = "xcallback://x-callback-url/success?pong=1"

    @Test func aStateFolderHoldsUpOnlyCallsThatAreKeptThere() throws {
        let directory = try TemporaryDirectory()
        #expect(mkdir(directory.path(of: "disk"), 0o700) == 0)
        let disk = try SilentFileSystem(at: directory.path(of: "disk"))
        let daemon = try RunningDaemon(
            starting: Self.configuration, environment: ["STATE_DIRECTORY=\(disk.path)/calls"])
        try daemon.waitUntilReady()
        let caller = try RouterClient(daemon.socket)
        try caller.send("Call", ["url": "other:/do"], mode: .more)
        // The caller has no answer yet, but all others have.
        let client = try daemon.connect()
        for _ in 0..<100 { #expect(try client.ask("app:/ping") == Self.pong) }
        let reply = try caller.reply()
        #expect(reply["secret"] == .null)
        #expect(reply["open"]?.text?.hasPrefix("other:/do?x-source=xcallback&x-success=") == true)
        #expect(try daemon.log.contains("a call ends with the daemon: it cannot be kept"))
        #expect(try daemon.stop() == 0)
    }

    @Test func aCallerThatLeavesMeanwhileLeavesNothing() throws {
        let directory = try TemporaryDirectory()
        #expect(mkdir(directory.path(of: "disk"), 0o700) == 0)
        let disk = try SilentFileSystem(at: directory.path(of: "disk"))
        let daemon = try RunningDaemon(
            starting: Self.configuration, environment: ["STATE_DIRECTORY=\(disk.path)/calls"])
        try daemon.waitUntilReady()
        for _ in 0..<3 { try RouterClient(daemon.socket).send("Call", ["url": "other:/do"], mode: .more) }
        let client = try RouterClient(daemon.socket)
        var used = -1
        while used != 0 {
            let limits = try client.call("Status")["limits"]?.elements ?? []
            used = limits.first { $0["name"]?.text == "outgoing-calls" }?["used"]?.integer ?? -1
        }
        #expect(try daemon.stop() == 0)
    }

    @Test func aHomeHoldsUpOnlyProgramsThatLookIntoIt() throws {
        let directory = try TemporaryDirectory()
        #expect(mkdir(directory.path(of: "disk"), 0o700) == 0)
        let disk = try SilentFileSystem(at: directory.path(of: "disk"))
        let route = "  - { route: app:/home, exec: [cat, \(disk.path)/file], timeout: 500ms }\n"
        let daemon = try RunningDaemon(
            "\(Self.configuration)\n\(route)",
            environment: ["HOME=\(disk.path)", "XDG_STATE_HOME=\(disk.path)", "XDG_CONFIG_HOME=\(disk.path)"])
        let waiting = try daemon.connect()
        try waiting.send("app:/home\n")
        let client = try daemon.connect()
        for _ in 0..<100 { #expect(try client.ask("app:/ping") == Self.pong) }
        #expect(try waiting.readLine()?.contains("errorCode=504") == true)
        #expect(try daemon.stop() == 0)
    }
}
