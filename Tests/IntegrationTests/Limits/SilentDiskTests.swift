import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// The service for other clients while a disk does not answer.
@Suite(
    .blocking, .enabled(if: SilentFileSystem.isAvailable, "only root can mount a file system")
)
struct SilentDiskTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: app:/ping, respond: { pong: 1 } }
        """
    private static let pong = "xcallback://x-callback-url/success?pong=1"

    // MARK: - Peers

    /// Netcat from a disk that may become silent, connected to a daemon.
    private final class StrandedClient {
        private let disk: SilentFileSystem
        /// The folder is removed after the disk, which may be silent.
        private let directory: TemporaryDirectory
        private let program: ChildProcess
        private let socket: ByteSocket
        private var received: [UInt8] = []

        init(of daemon: RunningDaemon, as user: Int) throws {
            directory = try TemporaryDirectory()
            chmod(directory.path, 0o755)
            #expect(mkdir(directory.path(of: "disk"), 0o755) == 0)
            disk = try SilentFileSystem(at: directory.path(of: "disk"), holding: "/usr/bin/nc")
            var ends: [Int32] = [-1, -1]
            _ = try TestFailure.check("socketpair", socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends))
            defer { close(ends[1]) }
            socket = try ByteSocket(ends[0])
            let netcat = "setpriv --reuid \(user) --clear-groups '\(disk.path)/nc' -U '\(daemon.socket)'"
            program = try ChildProcess(
                ["/bin/sh", "-c", "exec \(netcat) <&3 >&3"], environment: ["PATH=/usr/bin:/bin"],
                output: directory.path(of: "complaints"), passing: ends[1])
        }

        /// Connects a client of another user, which has called a method.
        static func varlink(of daemon: RunningDaemon) throws -> StrandedClient {
            let client = try StrandedClient(of: daemon, as: 65_534)
            try client.send("{\"method\":\"org.xcallback.Router.Status\"}\0")
            _ = try client.receive(to: "\0")
            return client
        }

        func send(_ text: String) throws { try socket.send(Array(text.utf8)) }

        /// Returns the input up to and including a byte.
        func receive(to end: Unicode.Scalar) throws -> String {
            while true {
                if let index = received.firstIndex(of: UInt8(ascii: end)) {
                    defer { received.removeFirst(index + 1) }
                    return String(decoding: received[..<index], as: UTF8.self)
                }
                guard try socket.receive(into: &received) else { throw TestFailure("the client has ended") }
            }
        }

        func fallSilent() { disk.fallSilent() }

        func speak() { disk.speak() }

        /// The path of its program.
        var path: String { "\(disk.path)/nc" }

    }

    /// Starts a daemon with routes for the program that runs the tests.
    private static func guarded(settings: String = "") throws -> RunningDaemon {
        let policy = "{ executable: \(try RunningDaemon.ownProgram()) }"
        let daemon = try RunningDaemon(
            """
            \(settings)
            \(configuration)
              - { route: app:/guarded, policies: [\(policy)], respond: { pong: 1 } }
              - { route: app:/received, deliver: name, receivers: [\(policy)] }
              - { route: app:/told, publish: topic, receivers: [\(policy)], policies: [\(policy)] }
            """)
        daemon.admitOtherUsers()
        return daemon
    }

    @Test func aPeersDiskHoldsUpOnlyPoliciesOnItsProgram() throws {
        let daemon = try Self.guarded()
        let stranded = try StrandedClient(of: daemon, as: 0)
        try stranded.send("app:/guarded\n")
        expect(try stranded.receive(to: "\n")) { $0.contains("program%20is%20not%20allowed") }
        stranded.fallSilent()
        try stranded.send("app:/guarded\n")
        let client = try daemon.connect()
        for action in ["ping", "guarded"] {
            for _ in 0..<100 { expect(try client.ask("app:/\(action)"), equals: Self.pong) }
        }
        expect(try stranded.receive(to: "\n")) { $0.contains("cannot%20identify%20its%20program") }
        try stranded.send("app:/ping\n")
        expect(try stranded.receive(to: "\n"), equals: Self.pong)
    }

    private static let calls = [
        #"Receive","more":true,"parameters":{"name":"name"}}"#,
        #"Subscribe","more":true,"parameters":{"topics":["topic"]}}"#,
        #"Publish","parameters":{"topic":"topic","items":[]}}"#,
    ]

    @Test(arguments: calls)
    func aPeersDiskHoldsUpOnlyCallsThatLookAtItsProgram(call: String) throws {
        let daemon = try Self.guarded()
        let stranded = try StrandedClient.varlink(of: daemon)
        stranded.fallSilent()
        try stranded.send("{\"method\":\"org.xcallback.Router.\(call)\0")
        let client = try daemon.connect()
        for _ in 0..<100 { expect(try client.ask("app:/ping"), equals: Self.pong) }
        expect(try stranded.receive(to: "\0")) { $0.contains("org.varlink.service.PermissionDenied") }
    }

    /// The stop timeout expires before the inspection ends.
    @Test(arguments: calls)
    func aCallThatStillLooksEndsWhenTheTimeToStopIsOver(call: String) throws {
        let daemon = try Self.guarded(settings: "limits: { drain-time: 100ms }")
        let stranded = try StrandedClient.varlink(of: daemon)
        let idle = try daemon.state.descriptorCount
        stranded.fallSilent()
        try stranded.send("{\"method\":\"org.xcallback.Router.\(call)\0")
        // The inspection holds the process, so that its ID is not reused.
        try waitUntil("the inspection has begun") { try daemon.state.descriptorCount > idle }
        daemon.process.send(signal: SIGTERM)
        expect(try stranded.receive(to: "\0")) { $0.contains("org.xcallback.Router.Stopping") }
        // The kernel keeps a process while one of its threads waits for a disk.
        stranded.speak()
        expect(try daemon.process.wait(), equals: 0)
    }

    @Test func aConfigurationThatComesDuringALookCounts() throws {
        let daemon = try Self.guarded()
        let stranded = try StrandedClient.varlink(of: daemon)
        func receivers(_ policy: String) -> String {
            "\(Self.configuration)\n  - { route: app:/received, deliver: name, receivers: [\(policy)] }\n"
        }
        try daemon.reload(receivers("{ executable: \(stranded.path) }"))
        let idle = try daemon.state.descriptorCount
        stranded.fallSilent()
        let call = #"{"method":"org.xcallback.Router.Receive","more":true,"parameters":{"name":"name"}}"#
        try stranded.send("\(call)\0")
        try waitUntil("the inspection has begun") { try daemon.state.descriptorCount > idle }
        try daemon.reload(receivers("{ user: 4711 }"))
        stranded.speak()
        expect(try stranded.receive(to: "\0")) { $0.contains("org.varlink.service.PermissionDenied") }
    }
}
