import Dispatch
import Glibc
import Logging
import Synchronization
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackSystemd

/// The daemon as a program: options in, exit status out.
package enum Daemon {
    /// How the program ends (sysexits.h).
    package enum ExitStatus: Int32, Sendable {
        case success = 0
        /// The command line is not understood.
        case usage = 64
        /// The system refused something, such as the socket.
        case system = 71
        /// The configuration has faults.
        case configuration = 78
    }

    /// Runs the daemon until it is told to stop.
    ///
    /// Call it first in `main`: it blocks the signals that the loop reads before there are other threads.
    ///
    /// - Parameter arguments: The command line, without the name of the program.
    /// - Returns: The exit status.
    package static func run(_ arguments: [String]) -> ExitStatus {
        blockSignals()
        let options: DaemonOptions
        do {
            options = try DaemonOptions(arguments)
        } catch {
            printError("xcallbackd: \(error)\n\(DaemonOptions.usage)")
            return .usage
        }
        if options.mode == .help {
            print(DaemonOptions.usage, terminator: "")
            return .success
        }
        let locations = Locations(
            options, environment: { name in getenv(name).map { String(cString: $0) } }, isRoot: geteuid() == 0)
        let output = LogOutput.standardError()
        var logger = Logger(label: "xcallbackd") { _ in StandardErrorLogHandler(output: output) }
        let configuration: RouterConfiguration
        do {
            configuration = try RouterConfiguration(
                file: locations.configuration, ownership: .rootOrUser(geteuid()), logger: logger)
        } catch {
            printError("\(error)\n")
            return .configuration
        }
        if options.mode == .check {
            print("\(locations.configuration): \(configuration.summary)")
            return .success
        }
        logger.logLevel = configuration.logLevel
        return serve(configuration, locations, logger)
    }

    private static func serve(
        _ configuration: RouterConfiguration, _ locations: Locations, _ logger: Logger
    ) -> ExitStatus {
        let ended = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)
        do {
            try locations.makeSocketDirectory()
            let loop = try EventLoop(label: "xcallbackd", silenceLimit: configuration.limits.firstByte)
            let service = ServiceParts(
                configuration: configuration, descriptorLimit: DescriptorLimit.raise(), manager: ServiceManager(),
                logger: logger)
            Task(priority: .medium) {
                do {
                    let listener = try Listener(path: locations.socket, mode: locations.socketMode)
                    try await loop.serve(
                        service, on: listener, at: locations.socket, signals: EventLoop.stopSignals
                    ) { ended.signal() }
                } catch {
                    failure.withLock { $0 = error }
                    ended.signal()
                }
            }
            ended.wait()
            if let error = failure.withLock({ $0 }) { throw error }
            return .success
        } catch {
            logger.error("cannot serve", metadata: ["error": "\(error)"])
            return .system
        }
    }

    /// Blocks the signals that the loop reads, in this thread and those that it starts.
    private static func blockSignals() {
        var set = sigset_t()
        sigemptyset(&set)
        for number in EventLoop.stopSignals { sigaddset(&set, number) }
        // It cannot fail: the arguments are valid.
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        // Whoever ignores it, or inherits that, has no status of its programs: the kernel reaps them.
        signal(SIGCHLD, SIG_DFL)
    }
}

private func printError(_ text: String) {
    let bytes = Array(text.utf8)
    // There is nobody to tell if it fails.
    _ = write(STDERR_FILENO, bytes, bytes.count)
}
