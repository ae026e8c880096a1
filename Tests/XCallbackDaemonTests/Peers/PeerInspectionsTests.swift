import Glibc
import Logging
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackRouter
import XCallbackTesting

@testable import XCallbackDaemon

/// What is read of a process counts only while it runs.
@Suite(.timeLimit(.minutes(10)))
struct PeerInspectionsTests {
    /// Connects to the socket at a path, and stays.
    private static let peer = "use Socket; socket(S, 1, 1, 0); connect(S, pack_sockaddr_un($ARGV[0])); sleep"

    /// Another process may have its number by then.
    @Test func aProcessThatEndsMeanwhileIsUnknown() async throws {
        let directory = try TemporaryDirectory()
        let socket = directory.path(of: "socket")
        let file = try directory.write("schemes: [app]\nlimits: { first-byte: 1h }\nroutes: []\n", to: "config.yaml")
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let loaded = try RouterConfiguration(
            in: ConfigurationPlaces(file: file), LoadOptions(ownership: .any, logger: logger))
        let loop = try EventLoop(label: "test")
        loop.start()
        let parts = ServiceParts(
            configuration: loaded, loader: ConfigurationLoader { loaded }, descriptorLimit: 1024,
            notifier: Notifier(ServiceManager(), logger: logger), logger: logger)
        try await loop.serve(parts, on: try Listener(path: socket, mode: 0o600), signals: [])
        for ends in [false, true] {
            let peer = try ChildProcess(["/usr/bin/perl", "-e", Self.peer, socket])
            let id = peer.id
            try await suspendUntil("the peer is connected") { await loop.connection(of: id) != nil }
            let result = await loop.inspect(id) { process in
                var news = siginfo_t()
                if ends, kill(process, SIGKILL) == 0 { waitid(P_PID, id_t(process), &news, WEXITED | WNOWAIT) }
                return .verified
            }
            #expect(result == (ends ? nil : .verified))
        }
        await loop.stop()
    }
}

extension EventLoop {
    fileprivate func connection(of process: Int32) -> UInt64? {
        sessions.lazy.compactMap { $0 as? ClientSession }.first { $0.peer.processID == process }?.id.rawValue
    }

    fileprivate func inspect(
        _ process: Int32, _ body: @escaping @Sendable (Int32) -> PolicyResult
    ) async -> PolicyResult? {
        await PeerInspections().inspect(connection(of: process) ?? 0, of: geteuid(), on: self, body)
    }
}
