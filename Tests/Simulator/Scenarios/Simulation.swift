import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackDaemon
import XCallbackEventLoop
import XCallbackPrograms
import XCallbackRouter
import XCallbackTesting

/// Lets the real daemon live through scenarios.
final class Simulation {
    /// The outcome of a scenario.
    struct Result {
        /// What is wrong; nil if nothing is.
        let fault: String?
        /// A number that two runs of the same scenario have in common.
        let fingerprint: UInt64
    }

    private let directory: String
    private let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
    /// What is wrong with the kernel, if something is to be found.
    private let injected: World.InjectedFault?

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - directory: An empty folder for what is real.
    ///   - injected: What is wrong with the kernel.
    init(in directory: String, injected: World.InjectedFault?) {
        self.directory = directory
        self.injected = injected
    }

    /// Lets a daemon live through a scenario.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - isVerbose: Whether all that happens is printed.
    /// - Returns: Its outcome.
    /// - Throws: ``SystemError`` or ``ListenerError`` if the daemon cannot begin.
    func run(_ scenario: Scenario, isVerbose: Bool = false) throws -> Result {
        let world = World(of: scenario)
        world.isVerbose = isVerbose
        world.injected = injected
        world.begin()
        try serve(in: world)
        world.checkEnd()
        for client in world.clients { client.forget() }
        return Result(fault: world.fault, fingerprint: world.fingerprint)
    }

    /// Does what the daemon's program does, from the start to the end.
    private func serve(in world: World) throws {
        let loop = try EventLoop(label: "simulation")
        world.loop = loop
        let configurations = try Configurations(in: directory, on: loop, logger)
        if world.scenario.isOfProgramServer { return try servePrograms(of: configurations, in: world, on: loop) }
        loop.sync { World.current.accounts = $0.accounts }
        let loader = ConfigurationLoader { () throws(ConfigurationError) in
            let next = World.current.nextConfiguration
            World.current.ledger.configurations.load(next)
            return try configurations.load(next)
        }
        let parts = ServiceParts(
            configuration: configurations.all, loader: loader, descriptorLimit: 4_096,
            notifier: Notifier(ServiceManager(), logger: logger), logger: logger)
        loop.expectWork()
        let socket = "\(directory)/socket"
        try loop.sync { loop in
            try loop.serve(parts, on: Listener(path: socket, mode: 0o600), signals: [SIGTERM, SIGHUP])
        }
        loop.workHere()
        world.loopEnded(saysLoss: parts.ending.isIncomplete)
        world.loop = nil
    }
}

extension Simulation {
    /// Does what the program server does, from the start to the end.
    private func servePrograms(of configurations: Configurations, in world: World, on loop: EventLoop) throws {
        var options = try DaemonOptions([])
        options.configuration = "\(directory)/all.yaml"
        options.socket = "\(directory)/router"
        let locations = Locations(options, environment: { _ in nil }, isRoot: true)
        let server = ProgramServer(
            locations, ownership: .rootOrUser(geteuid()), callerID: geteuid(), logger: logger
        ) { _ in World.current.fail("the configuration of a program has faults") }
        for route in configurations.all.pipeline.routes { world.fingerprints[route.identity] = route.fingerprint }
        loop.expectWork()
        let socket = "\(directory)/socket"
        nonisolated(unsafe) let service = server
        try loop.sync { loop in
            loop.setService(service)
            try loop.watchSignals([SIGTERM])
            try loop.listen(on: Listener(path: socket, mode: 0o600))
        }
        loop.workHere()
        world.loopEnded(saysLoss: false)
        world.loop = nil
    }
}

/// The configurations of a scenario.
struct Configurations: Sendable {
    let all: RouterConfiguration
    private let few: RouterConfiguration
    private let tight: RouterConfiguration
    private let fault: ConfigurationError

    init(in directory: String, on loop: EventLoop, _ logger: Logger) throws {
        func load(_ text: String, _ name: String) throws -> RouterConfiguration {
            let file = "\(directory)/\(name)"
            let number = try TestFailure.check(
                "open \(file)", open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
            defer { close(number) }
            guard write(number, text, text.utf8.count) == text.utf8.count else {
                throw TestFailure("cannot write \(file)")
            }
            return try RouterConfiguration(
                in: ConfigurationPlaces(file: file),
                LoadOptions(
                    ownership: .rootOrUser(geteuid()), runners: ProgramRunners(on: loop), logger: logger))
        }
        all = try load(Self.start + Self.names, "all.yaml")
        few = try load(Self.start, "few.yaml")
        tight = try load(Self.limits + Self.start + Self.names, "tight.yaml")
        do {
            _ = try load("schemes: [sim]\nroutes: []\nwrong: true\n", "faulty.yaml")
            throw TestFailure("the faulty configuration has no fault")
        } catch let error as ConfigurationError {
            fault = error
        }
    }

    func load(_ configuration: Scenario.Configuration) throws(ConfigurationError) -> RouterConfiguration {
        switch configuration {
        case .all: all
        case .few: few
        case .tight: tight
        case .faulty: throw fault
        }
    }

    private static let start = """
        schemes: [sim]
        callbacks: { allow: [app] }
        routes:
          - { route: "sim:/now/:id", public: true, respond: { id: "{id}" } }
          - { route: "sim:/go/:id", public: true, redirect: "sim:/now/{id}" }
          - { route: "sim:/run/:id", public: true, exec: [/bin/echo, "{id}"], progress: true, timeout: 3s }
          - { route: "sim:/start/:id", public: true, exec: [/bin/echo, "{id}"], detach: true }
          - route: sim:/ask/:id
            public: true
            policies: [{ exec: [/bin/echo, "{id}"] }, { exec: [/bin/echo, "{id}"] }]
            exec: [/bin/echo, "{id}"]
            progress: true
            timeout: { idle: 2s, total: 5s }

        """

    private static let limits = """
        limits:
          connections: 9
          requests: 4
          processes: 2
          streams: 2

        """

    private static let names = """
          - { route: "sim:/give/:id", public: true, deliver: worker, timeout: 4s }
          - { route: "sim:/hold/:id", public: true, deliver: late, wait: 2s, timeout: 6s }
          - { route: "sim:/tell/:id", public: true, publish: news }
          - { route: "sim:/wake/:id", public: true, deliver: sleeper, start: [/bin/echo, sleeper], timeout: 12s }

        """
}
