import CLinux
import Glibc
import Logging
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackSystemd

/// The daemon's second mode: it runs one program of a route for the system's router (`xcallbackd-run@.service`).
enum ProgramServerProcess {
    /// Serves the connection on standard input until it or the program ends.
    ///
    /// - Parameter locations: The locations of the configuration and the router's socket.
    /// - Returns: The exit status.
    static func run(_ locations: Locations) -> DaemonExitStatus {
        let output = StandardErrorLogHandler.makeBriefOutput()
        // The process has nothing else to do.
        output.waitsForRoom = true
        let logger = Logger(label: "xcallbackd-run") { _ in StandardErrorLogHandler(output: output) }
        let connection = PassedSocket(descriptor: STDIN_FILENO, name: "stdin")
        var status = stat()
        guard connection.isConnection, stat(connection.path, &status) == 0 else {
            output.write(
                level: .error,
                text: "xcallbackd: --run serves the connection that a socket unit passes as standard input")
            return .usage
        }
        do {
            let loop = try EventLoop(label: "xcallbackd-run")
            let callerID = status.st_uid
            loop.expectWork()
            try loop.sync { loop in
                let service = ProgramServer(
                    locations, ownership: .rootOrUser(0), callerID: callerID, logger: logger
                ) { error in
                    output.write(level: .error, text: "\(error)")
                }
                loop.setService(service)
                try loop.watchSignals([SIGTERM, SIGINT, SIGHUP])
                try loop.serve(connection: STDIN_FILENO)
            }
            loop.workHere()
            return .success
        } catch {
            logger.error("cannot run programs", metadata: ["error": "\(error)"])
            return .system
        }
    }
}
