import CLinux
import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackSystemd

/// The daemon as a program: options in, exit status out.
package enum Daemon {
    /// The name under which a service manager passes the socket.
    private static let socketName = "xcallbackd.socket"
    /// That of the socket for assistants.
    private static let agentSocketName = "xcallbackd-agent.socket"

    /// The sockets that a service manager has passed.
    private struct PassedSockets {
        var main: PassedSocket?
        var agent: PassedSocket?

        /// Whether clients wait on one of them to be accepted.
        var haveClients: Bool { main?.hasClients == true || agent?.hasClients == true }
    }

    /// Runs the daemon until it is told to stop.
    ///
    /// Call it first in `main`: it blocks the signals that the loop reads before there are other threads.
    ///
    /// - Parameter arguments: The command line, without the name of the program.
    /// - Returns: The exit status.
    package static func run(_ arguments: [String]) -> DaemonExitStatus {
        setLifeSignals(SIG_BLOCK)
        // Whoever ignores it, or inherits that, has no status of its programs: the kernel reaps them.
        signal(SIGCHLD, SIG_DFL)
        signal(SIGPIPE, SIG_IGN)
        let output = StandardErrorLogHandler.makeOutput()
        // Until there are clients, who must not wait for whoever reads the log.
        output.waitsForRoom = true
        do {
            let options = try DaemonOptions(arguments)
            switch options.mode {
            case .help: print(DaemonOptions.usage, terminator: "")
            case .version: print("xcallbackd \(Version.text)")
            case .tellPeers:
                setLifeSignals(SIG_UNBLOCK)
                ProcessFacts.tell(on: STDIN_FILENO)
            case .desktop: return DesktopProcess.run()
            case .check: return end(of: start(options, passed: PassedSockets(), output), output)
            case .run: return ProgramServerProcess.run(locations(options, isProgramServer: true))
            case .serve: return end(of: start(options, passed: try passedSockets(options), output), output)
            }
            return .success
        } catch {
            output.write(level: .error, text: "xcallbackd: \(error)")
            if error is DaemonOptions.Fault { output.write(level: .error, text: DaemonOptions.usage) }
            tellNotStarted("\(error)", makeLogger(output))
            return .usage
        }
    }

    /// The sockets that a service manager has passed; the command line agrees with them.
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

    /// Waits until nothing is served any more.
    private static func end(of start: Start, _ output: any LogOutput) -> DaemonExitStatus {
        switch start {
        case .ended(let status):
            if status != .success { output.linger() }
            return status
        case .serving(let loop, let remainder):
            loop.workHere()
            remainder.callStore?.finish()
            remainder.notifier.finish()
            output.finish()
            // The process ends: to take thousands of routes apart takes a while, and gives nothing back.
            _ = Unmanaged.passRetained(remainder.ending)
            if remainder.ending.lacksConfiguration { return .configuration }
            return remainder.ending.isIncomplete ? .incomplete : .success
        }
    }

    /// What has become of the start.
    private enum Start {
        /// Nothing is served.
        case ended(DaemonExitStatus)
        /// Requests are answered once the loop works; then what is left is written, and the manager told.
        case serving(EventLoop, Remainder)
    }

    /// What is still needed of the parts of a service once it has begun.
    private struct Remainder {
        let callStore: CallStore?
        let notifier: Notifier
        let ending: DaemonEnding
    }

    /// Loads the configuration, and begins to serve it or tells what it is.
    ///
    /// Once it has returned nothing here keeps the first configuration, which a reload replaces.
    private static func start(
        _ options: DaemonOptions, passed: PassedSockets, _ output: any LogOutput
    ) -> Start {
        let locations = locations(options, passed: passed)
        var logger = makeLogger(output)
        let loader = ConfigurationLoader { [logger] (documents) throws(ConfigurationError) in
            let service = options.mode == .check ? ServiceUnit(reading: locations.configuration) : nil
            var configuration = try RouterConfiguration(
                in: locations.configuration, ownership: service?.ownership ?? .rootOrUser(geteuid()),
                runners: ProgramRunners(for: locations, logger), logger: logger, checkedFor: service,
                keeping: &documents)
            let warnings = configuration.warnings
            for notes in [warnings, configuration.leftUnchecked] where !notes.isEmpty {
                output.write(level: .warning, text: "\(notes)")
            }
            configuration.owners = .read()
            return configuration
        } check: { [logger] files in
            ConfigurationCheck(files, isOfSystem: locations.configuration.isOfSystem ?? locations.isSystem).findings(
                runners: ProgramRunners(for: locations, logger), logger: .silent, checkedFor: nil)
        } report: { error in
            output.write(level: .error, text: "\(error)")
        }
        let configuration: RouterConfiguration
        var outage: ConfigurationError?
        var documents: ConfigurationDocuments?
        switch endingAtOnce({ loader.load(keeping: &documents) }) {
        case .success(let loaded): configuration = loaded
        case .failure(let error):
            guard options.mode == .serve, passed.haveClients else {
                if options.mode == .serve { tellNotStarted(becauseOf: error, logger) }
                return .ended(.configuration)
            }
            outage = error
            configuration = RouterConfiguration(standingInFor: error)
        }
        if options.mode == .check {
            print(configuration.summary)
            return .ended(.success)
        }
        logger.logLevel = configuration.logLevel
        do {
            let loop = try EventLoop(label: "xcallbackd")
            // After the loop is made, which gives programs the limit that the daemon was started with.
            let parts = ServiceParts(
                configuration: configuration, loader: loader, descriptorLimit: DescriptorLimit.raise(),
                notifier: Notifier(ServiceManager(), logger: logger), logger: logger, isSystem: locations.isSystem,
                callStore: locations.callFolder.map { CallStore(in: $0) },
                socketRemedy: locations.socketRemedy, outage: outage)
            try begin(parts, on: loop, locations, passed, output)
            documents = nil
            loader.giveMemoryBack()
            return .serving(
                loop, Remainder(callStore: parts.callStore, notifier: parts.notifier, ending: parts.ending))
        } catch {
            output.waitsForRoom = true
            logger.error("cannot serve", metadata: ["error": "\(error)"])
            tellNotStarted("\(error)", logger)
            return .ended(DaemonExitStatus(error))
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

    /// Tells the log and the service manager of a configuration whose faults have been reported.
    private static func tellNotStarted(becauseOf error: ConfigurationError, _ logger: Logger) {
        logger.error("not started: the configuration has faults", metadata: ["faults": "\(error.count)"])
        let faults = error.count == 1 ? "1 fault" : "\(error.count) faults"
        tellNotStarted("the configuration has \(faults), see the log", logger)
    }

    /// Tells the service manager why nothing is served.
    private static func tellNotStarted(_ reason: String, _ logger: Logger) {
        Notifier(ServiceManager(), logger: logger).tellLast { manager throws(ServiceManagerError) in
            try manager.notifyStatus("Not started: \(reason)")
        }
    }

    /// Begins to serve; requests are answered once the loop works.
    private static func begin(
        _ parts: ServiceParts, on loop: EventLoop, _ locations: Locations, _ passed: PassedSockets,
        _ output: any LogOutput
    ) throws {
        // One that starts others, one that notifies the manager, and one for all else, such as the calls that are kept.
        try ThreadShortage.check(for: parts.notifier.manager.isPresent ? 3 : 2)
        WorkQueue.keepStarter()
        parts.notifier.keepThread()
        loop.expectWork()
        try loop.sync { loop in
            let listener = try Listener(locations, passed: passed.main)
            let agentListener = agentListener(locations, passed.agent, parts.logger)
            output.waitsForRoom = false
            try loop.serve(parts, on: listener, agentListener, signals: EventLoop.lifeSignals) {}
        }
    }

    /// The socket for assistants; without it all others are served, as who is in a sandbox can put something in its place.
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

    /// Calls a function during which SIGTERM and SIGINT end the process at once: nothing has begun that must be ended in order.
    private static func endingAtOnce<Result>(_ body: () -> Result) -> Result {
        let numbers = [SIGTERM, SIGINT]
        for number in numbers { signal(number) { _ in _exit(DaemonExitStatus.success.rawValue) } }
        // Threads of Dispatch block them themselves, whatever they inherit.
        setSignals(numbers, SIG_UNBLOCK)
        defer {
            setSignals(numbers, SIG_BLOCK)
            for number in numbers { signal(number, SIG_DFL) }
        }
        return body()
    }

    /// Blocks the signals that the loop reads, in this thread and those that it starts, or lets them through.
    private static func setLifeSignals(_ how: Int32) {
        // Where one thread lets SIGCHLD through, each end of a program wakes it for nothing: the loop has other news.
        setSignals(EventLoop.lifeSignals + [SIGCHLD], how)
    }

    private static func setSignals(_ numbers: [Int32], _ how: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        // It cannot fail: the arguments are valid.
        pthread_sigmask(how, &set, nil)
    }
}
