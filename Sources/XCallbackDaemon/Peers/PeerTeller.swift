import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackSystemd

/// The process that inspects peers for a daemon in a user namespace, which has no permission to do so.
///
/// It is this program in a unit outside the sandbox, and ends when the daemon closes its socket.
final class PeerTeller {
    /// The number of its unit; those of programs count up from 1.
    private static let number = UInt64.max
    /// How long clients wait for it at startup.
    private static let patience = Duration.seconds(3)
    /// The delay before it is started again after its end.
    private static let pause = Duration.seconds(30)

    private let logger: Logger
    private var isWanted = false

    private init(_ logger: Logger) {
        self.logger = logger
    }

    /// Starts the process if a configuration needs it and it is not running; until it runs, no connection is accepted.
    static func begin(for configuration: RouterConfiguration, _ logger: Logger, on loop: isolated EventLoop) {
        guard configuration.looksIntoPeers, UserNamespace.hidesRoot else { return }
        let teller = loop.resident { PeerTeller(logger) }
        guard !teller.isWanted else { return }
        teller.isWanted = true
        loop.holdAccepting(for: .peers)
        _ = loop.call(after: patience) { loop.resumeAccepting(for: .peers) }
        teller.start(on: loop)
    }

    private func start(on loop: isolated EventLoop) {
        Task.immediate(executorPreference: loop.executor) {
            do {
                guard let variables = await loop.managerVariables(logger) else {
                    throw SystemError("the user's service manager", code: ENOTCONN)
                }
                try start(without: variables, on: loop)
            } catch {
                fail(error, on: loop)
            }
        }
    }

    private func start(without variables: [[UInt8]], on loop: isolated EventLoop) throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        _ = try SystemError.check("socketpair") { socketpair(AF_UNIX, kind, 0, &ends) }
        let own = Descriptor(ends[0])
        let other = Descriptor(ends[1])
        let path = try programPath()
        let command = UnitCommand(
            path: path, arguments: [path, Array("--tell-peers".utf8)], environment: ProgramEnvironment.session(),
            title: "xcallbackd --tell-peers", folder: nil, isDetached: true, limit: nil)
        ProcessFacts.ask(own)
        try loop.unitHost(logger).start(
            command, as: Self.number, (other.number, nil, nil), without: variables, on: loop
        ) { event in
            loop.assumeIsolated { loop in loop.peerTeller?.note(event, on: loop) }
        }
    }

    private func note(_ event: UnitEvent, on loop: isolated EventLoop) {
        switch event {
        case .started: loop.resumeAccepting(for: .peers)
        case .failed(let failure): fail(failure, on: loop)
        case .exited, .killed: fail(SystemError("xcallbackd --tell-peers", code: ESRCH), on: loop)
        }
    }

    /// Pauses inspections, so that policies that need them reject all requests.
    private func fail(_ error: any Error, on loop: isolated EventLoop) {
        ProcessFacts.ask(nil)
        loop.resumeAccepting(for: .peers)
        guard !loop.isEnding else { return }
        logger.warning(
            "cannot identify peers: policies 'app' and 'executable' reject all requests",
            metadata: ["error": "\(error)"])
        _ = loop.call(after: Self.pause) { loop.peerTeller?.start(on: loop) }
    }
}

extension EventLoop {
    fileprivate var peerTeller: PeerTeller? { existingResident() }
}

extension AcceptingHold {
    /// The process that inspects peers is starting.
    fileprivate static let peers = Self(rawValue: 1 << 1)
}
