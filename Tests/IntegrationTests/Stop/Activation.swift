import Glibc
import XCallbackTesting

/// A daemon that is started when a client connects.
final class Activation {
    let directory: TemporaryDirectory
    let manager: FakeServiceManager
    let process: ChildProcess
    let socket: String

    var log: String { get throws { try directory.text(of: "stderr") } }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - options: Further options of systemd-socket-activate; `SECOND` in an option is replaced by another path.
    ///   - arguments: Further arguments of the daemon.
    ///   - configuration: The daemon's configuration.
    /// - Throws: ``TestFailure`` if nothing listens.
    init(
        _ options: [String] = ["--fdname=xcallbackd.socket"], _ arguments: [String] = [],
        configuration: String = StartStopTests.configuration
    ) throws {
        directory = try TemporaryDirectory()
        socket = directory.path(of: "socket")
        let file = try directory.write(configuration, to: "config.yaml")
        manager = try FakeServiceManager(address: directory.path(of: "notify"))
        let second = directory.path(of: "second")
        let changed = options.map { $0 == "--listen=SECOND" ? "--listen=\(second)" : $0 }
        process = try ChildProcess(
            ["/usr/bin/systemd-socket-activate", "--listen=\(socket)", "--setenv=NOTIFY_SOCKET"] + changed
                + [try RunningDaemon.program("xcallbackd"), "--config", file] + arguments,
            environment: ["NOTIFY_SOCKET=\(manager.address)", "HOME=/", "PATH=/usr/bin:/bin"],
            output: directory.path(of: "stdout"), error: directory.path(of: "stderr"))
        // It prints where it listens, in any order.
        let count = options.contains("--listen=SECOND") ? 2 : 1
        let start = ContinuousClock.now
        while try log.split(separator: "\n").count(where: { $0.hasPrefix("Listening on ") }) < count {
            guard ContinuousClock.now - start < .seconds(30) else { throw TestFailure("nobody listens: \(try log)") }
            sched_yield()
        }
    }

    /// Connects a client.
    func connect() throws -> LineClient { try LineClient(socket) }
}
