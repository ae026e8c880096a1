import Glibc
import TestSupport
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
    ///   - options: Further options of systemd-socket-activate.
    ///   - arguments: Further arguments of the daemon.
    ///   - configuration: The daemon's configuration.
    /// - Throws: ``TestFailure`` if nothing listens.
    init(
        _ options: [String] = ["--fdname=xcallbackd.socket"], _ arguments: [String] = [],
        configuration: String = RunningDaemon.echoConfiguration
    ) throws {
        directory = try TemporaryDirectory()
        socket = directory.path(of: "socket")
        let file = try directory.write(configuration, to: "config.yaml")
        manager = try FakeServiceManager(address: directory.path(of: "notify"))
        process = try ChildProcess(
            [
                "/usr/bin/systemd-socket-activate", "--listen=\(socket)", "--setenv=NOTIFY_SOCKET",
                "--setenv=STATE_DIRECTORY",
            ] + options
                + [try RunningDaemon.program("xcallbackd"), "--config", file] + arguments,
            environment: [
                "NOTIFY_SOCKET=\(manager.address)", "HOME=\(directory.path)", "STATE_DIRECTORY=\(directory.path)/state",
                "PATH=/usr/bin:/bin",
            ],
            output: directory.path(of: "stdout"), error: directory.path(of: "stderr"))
        try waitUntil("it prints where it listens") { try log.contains("Listening on ") }
    }

    /// Connects a client.
    func connect() throws -> LineClient { try LineClient(socket) }
}
