import CLinux
import Glibc
package import Logging
import XCallbackBuiltIns
package import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
package import XCallbackPrograms
import XCallbackRouter
import XCallbackWire

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

extension ProgramServer {
    /// Creates a server for the programs of a configuration; each call reads the files of its route again.
    ///
    /// - Parameters:
    ///   - locations: The locations of the configuration and the router's socket.
    ///   - ownership: The required owner of the configuration.
    ///   - callerID: The user who may call, in addition to root.
    ///   - logger: Logs rejected calls.
    ///   - report: Reports all faults of the configuration to people.
    package convenience init(
        _ locations: Locations, ownership: FileOwnership, callerID: UInt32, logger: Logger,
        report: @escaping @Sendable (ConfigurationError) -> Void
    ) {
        // Set by xcallbackd-run@.service: sd_pid_get_unit(3) would need to see process 1, which ProtectProc= hides.
        let unit = variable("XCALLBACK_UNIT")
        self.init(
            callerID: callerID, unit: unit, logger: logger,
            makeCommand: { call throws(VarlinkError) in
                let configuration: RouterConfiguration
                do throws(ConfigurationError) {
                    configuration = try RouterConfiguration(
                        only: call.route, in: locations.configuration, ownership: ownership, logger: logger)
                } catch {
                    if error.count > 0 { report(error) }
                    throw .routeChanged(faults: error.count, unit: unit)
                }
                return try configuration.command(for: call, socket: locations.socket)
            },
            keepUnit: { try ServiceManager().extendTimeout(by: .seconds(315_360_000)) })
    }
}
