import CLinux
import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter

/// The daemon as a program: options in, exit status out.
package enum Daemon {
    /// The name with which a service manager passes the socket.
    private static let socketName = "xcallbackd.socket"
    /// The name with which a service manager passes the socket for assistants.
    private static let agentSocketName = "xcallbackd-agent.socket"

    /// The sockets passed by a service manager.
    private struct PassedSockets {
        var main: PassedSocket?
        var agent: PassedSocket?

        /// Whether clients wait to be accepted on one of the sockets.
        var haveClients: Bool { main?.hasClients == true || agent?.hasClients == true }
    }

    /// Runs the daemon until it is stopped.
    ///
    /// Call it first in `main`: it must block the signals that the loop reads before other threads exist.
    ///
    /// - Parameter arguments: The command line, without the name of the program.
    /// - Returns: The exit status.
    package static func run(_ arguments: [String]) -> DaemonExitStatus {
        openMissingStandardDescriptors()
        silenceDispatch()
        // Threads inherit it. If one had SIGCHLD unblocked, each exit of a program would wake it needlessly: the loop gets the
        // exit in another way.
        setSignals(LifeCycle.signals + [SIGCHLD], SIG_BLOCK)
        // If SIGCHLD is ignored, even by inheritance, the kernel reaps the programs and their status is lost.
        signal(SIGCHLD, SIG_DFL)
        signal(SIGPIPE, SIG_IGN)
        // A log beyond a size limit (RLIMIT_FSIZE) must not end the daemon: the write fails instead.
        signal(SIGXFSZ, SIG_IGN)
        let output = StandardErrorLogHandler.makeOutput()
        // Until clients can connect; they must not wait for the reader of the log.
        output.waitsForRoom = true
        do {
            let options = try DaemonOptions(arguments)
            switch options.mode {
            case .help: print(DaemonOptions.usage, terminator: "")
            case .version: print("xcallbackd \(Version.text)")
            case .check: return end(of: start(options, output), output)
            case .run:
                returnLargeBuffers()
                return ProgramServerProcess.run(locations(options, isProgramServer: true))
            case .serve:
                let passed = try passedSockets(options)
                let loop = try EventLoop(label: "xcallbackd")
                return end(of: start(options, passed: passed, on: loop, output), output)
            }
            return .success
        } catch {
            output.write(level: .error, text: "xcallbackd: \(error)")
            if error is DaemonOptions.Fault { output.write(level: .error, text: DaemonOptions.usage) }
            reportStartFailure("\(error)", makeLogger(output))
            return error is SystemError ? .system : .usage
        }
    }

    /// Makes large buffers return to the system once they are free (mallopt(3)).
    ///
    /// While the configuration is read, each growth of a list would be another mapping, whose pages are new.
    private static func returnLargeBuffers() {
        mallopt(M_MMAP_THRESHOLD, 32 << 10)
    }

    /// Returns the sockets passed by a service manager, after checking them against the command line.
    private static func passedSockets(_ options: DaemonOptions) throws -> PassedSockets {
        let byName = try PassedSocket.byName(PassedSocket.takeAll(), among: [socketName, agentSocketName])
        let passed = PassedSockets(main: byName[socketName], agent: byName[agentSocketName])
        for (socket, option, path) in [
            (passed.main, "--socket", options.socket), (passed.agent, "--agent-socket", options.agentSocket),
        ] {
            if let socket, let path { throw PassedSocketError.unwanted(socket, option: option, path: path) }
        }
        if let fault = locations(options, passed: passed).agentSocketFault {
            throw DaemonOptions.Fault(description: fault)
        }
        return passed
    }

    /// Waits until the daemon has stopped.
    private static func end(of start: Start, _ output: any LogOutput) -> DaemonExitStatus {
        switch start {
        case .ended(let status):
            if status != .success { output.linger() }
            return status
        case .serving(let loop, let notifier, let ending):
            returnLargeBuffers()
            loop.workHere()
            notifier.finish()
            output.finish()
            guard let ending else { return .configuration }
            return ending.isIncomplete ? .incomplete : .success
        }
    }

    /// The outcome of the start.
    private enum Start {
        /// The daemon does not serve.
        case ended(DaemonExitStatus)
        /// The daemon answers requests once the loop runs; afterwards it must write the log and notify the manager. Without an
        /// ending, its configuration has faults.
        case serving(EventLoop, Notifier, DaemonEnding?)
    }

    /// Loads the configuration, and starts to serve it on a loop or reports its faults; without a loop, it only checks it.
    ///
    /// After the return nothing here keeps the first configuration, so that a reload can free it.
    private static func start(
        _ options: DaemonOptions, passed: PassedSockets = PassedSockets(), on loop: EventLoop? = nil,
        _ output: any LogOutput
    ) -> Start {
        let locations = locations(options, passed: passed)
        let logger = makeLogger(output)
        let memory = loop.flatMap { _ in DropInMemory(locations) }
        // The programs of all configurations share it, on the loop.
        nonisolated(unsafe) let session = ManagerSession(isOfSystem: locations.isSystem, logger)
        let load = { @Sendable (isStart: Bool) throws(ConfigurationError) in
            try RouterConfiguration(
                of: locations, on: loop, session, logger, isStart ? memory?.read() ?? [:] : nil)
        }
        let loader = ConfigurationLoader(in: locations.configuration, reportingTo: output, memory) {
            () throws(ConfigurationError) in try load(false)
        }
        let loaded = endingAtOnce {
            loader.report(Result { () throws(ConfigurationError) in try load(loop != nil) })
        }
        guard let loop else {
            guard case .success(let configuration) = loaded else { return .ended(.configuration) }
            print(configuration.summary)
            return .ended(.success)
        }
        let launch = Launch(
            locations: locations, passed: passed, loop: loop, loader: loader, output: output, logger: logger)
        switch loaded {
        case .success(let configuration):
            let start = launch.serve(configuration)
            loader.giveMemoryBack()
            return start
        case .failure(let error):
            reportStartFailure(becauseOf: error, logger)
            guard passed.haveClients, !error.mayPass else {
                return .ended(error.mayPass ? .missingFile : .configuration)
            }
            // It is not ready, so that the start fails.
            unsetenv("NOTIFY_SOCKET")
            return launch.serve(RouterConfiguration(standingInFor: error), for: .seconds(1))
        }
    }

    /// What the start hands on: where a configuration is served, and what reports it.
    private struct Launch {
        let locations: Locations
        let passed: PassedSockets
        let loop: EventLoop
        let loader: ConfigurationLoader
        let output: any LogOutput
        let logger: Logger

        /// Starts to serve; requests are answered once the loop runs.
        ///
        /// With a time, the clients that wait are only refused: otherwise, the service manager would start the daemon for them
        /// again.
        func serve(_ configuration: RouterConfiguration, for time: Duration? = nil) -> Start {
            var logger = logger
            logger.logLevel = configuration.logLevel
            do {
                // After the loop was created, because the loop records the original limit for programs.
                let parts = ServiceParts(
                    configuration: configuration, loader: loader, descriptorLimit: DescriptorLimit.raise(),
                    notifier: Notifier(ServiceManager(), logger: logger), logger: logger, isSystem: locations.isSystem,
                    history: locations.historyFolder.map { HistoryWriter(in: $0) })
                try parts.notifier.start()
                loop.expectWork()
                try loop.sync { loop in
                    let listener = try Listener(locations, passed: passed.main)
                    if passed.main == nil, let folder = locations.openSocketFolder {
                        parts.logger.warning("other users can replace the socket", metadata: ["folder": "\(folder)"])
                    }
                    let agentListener = agentListener(locations, passed.agent, parts.logger)
                    output.waitsForRoom = false
                    try loop.serve(parts, on: listener, agentListener, signals: LifeCycle.signals)
                    guard let time else { return }
                    _ = loop.call(after: time) { [unowned loop] in
                        loop.assumeIsolated { $0.handle(signal: SIGTERM) }
                    }
                }
                return .serving(loop, parts.notifier, time == nil ? parts.ending : nil)
            } catch {
                output.waitsForRoom = true
                let note = locations.isSystem || !(error is ListenerError) ? nil : sessionNote()
                let text = "\(error)\(note.map { ": \($0)" } ?? "")"
                logger.error("cannot serve", metadata: ["error": "\(text)"])
                reportStartFailure(text, logger)
                return .ended(DaemonExitStatus(error))
            }
        }
    }

    private static func locations(
        _ options: DaemonOptions, passed: PassedSockets = PassedSockets(), isProgramServer: Bool = false
    ) -> Locations {
        Locations(
            options, environment: { name in getenv(name).map { String(cString: $0) } },
            isRoot: geteuid() == 0 || isProgramServer, passedSocket: passed.main?.path,
            passedAgentSocket: passed.agent?.path)
    }

    private static func makeLogger(_ output: any LogOutput) -> Logger {
        Logger(label: "xcallbackd") { _ in StandardErrorLogHandler(output: output) }
    }

    /// Reports a configuration whose faults have been listed, to the log and the service manager.
    private static func reportStartFailure(becauseOf error: ConfigurationError, _ logger: Logger) {
        logger.error("not started: the configuration has faults", metadata: ["faults": "\(error.count)"])
        reportStartFailure(error.cause, logger)
    }

    /// Reports to the service manager why the daemon does not serve.
    private static func reportStartFailure(_ reason: String, _ logger: Logger) {
        Notifier(ServiceManager(), logger: logger).notifyFinally { manager throws(SystemError) in
            try manager.notifyStatus("Not started: \(reason)")
        }
    }

    /// Opens the socket for assistants.
    ///
    /// If that fails, the daemon serves all other clients: a sandboxed process can put another file at the path.
    private static func agentListener(
        _ locations: Locations, _ passed: PassedSocket?, _ logger: Logger
    ) -> Listener? {
        do throws(ListenerError) {
            return try Listener.forAgents(locations, passed: passed)
        } catch {
            logger.error("assistants cannot connect", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Calls a function during which SIGTERM and SIGINT end the process at once, because nothing needs an orderly stop yet.
    private static func endingAtOnce<Result>(_ body: () -> Result) -> Result {
        let numbers = [SIGTERM, SIGINT]
        for number in numbers { signal(number) { _ in _exit(DaemonExitStatus.success.rawValue) } }
        // Dispatch's own threads block these signals anyway.
        setSignals(numbers, SIG_UNBLOCK)
        defer {
            setSignals(numbers, SIG_BLOCK)
            for number in numbers { signal(number, SIG_DFL) }
        }
        return body()
    }

    private static func setSignals(_ numbers: [Int32], _ how: Int32) {
        var set = signalSet(numbers)
        // Cannot fail: the arguments are valid.
        pthread_sigmask(how, &set, nil)
    }
}

extension RouterConfiguration {
    /// Loads the configuration of a daemon, or checks it if there is no loop.
    ///
    /// At a start, drop-ins with faults are left out; then `known` has the names of those that were served.
    fileprivate init(
        of locations: Locations, on loop: EventLoop?, _ session: ManagerSession, _ logger: Logger,
        _ known: [String: DropInNames]?
    ) throws(ConfigurationError) {
        // A change while they are read counts as a later one.
        let files = loop.map { _ in locations.configuration.fingerprint }
        let options = LoadOptions(
            ownership: loop == nil ? locations.configuration.ownership : .rootOrUser(geteuid()),
            runners: ProgramRunners(for: locations, on: loop, session, logger), logger: logger,
            purpose: loop == nil ? .checking : .serving)
        if let known {
            self = try .starting(in: locations.configuration, options, known)
        } else {
            try self.init(in: locations.configuration, options)
        }
        owners = .read()
        self.files = files
    }
}

extension ProgramRunners {
    /// Creates the runners for the programs of a daemon.
    fileprivate init(
        for locations: Locations, on loop: EventLoop?, _ session: ManagerSession, _ logger: Logger
    ) {
        if let socket = locations.programServerSocket {
            let service = ServerRunner(socket: socket, logger: logger)
            self.init(usual: isServed(socket) ? service : ChildRunner(), unit: service, on: loop)
        } else {
            let children = ChildRunner(session)
            self.init(
                usual: children, unit: ChildRunner(requiresScope: true, session), spawn: children, on: loop)
        }
    }
}
