import Glibc
import Logging
import TestSupport
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackDaemon
import XCallbackEventLoop
import XCallbackPrograms
import XCallbackRouter
import XCallbackTesting

/// What runs programs for a router, in the process of the test, good for one program; and the router.
final class ProgramServerSite: Sendable {
    /// What the runner logs, and `stopped` when it has ended.
    let events = EventLog()
    /// What the router logs.
    let routerEvents = EventLog()
    let socket: String
    private let directory: TemporaryDirectory
    private let runner: EventLoop
    private let router: EventLoop
    /// What the router serves.
    private let loaded: RouterConfiguration

    /// Starts both on one configuration.
    ///
    /// - Parameters:
    ///   - configuration: Its text, with `FOLDER` for a folder of the test.
    ///   - dropIns: The texts of drop-ins by their names.
    ///   - callerID: Who may call besides root.
    ///   - ownerID: Whom the configuration must belong to, besides root.
    /// - Throws: What speaks against it.
    init(
        _ configuration: String, dropIns: [String: String] = [:], callerID: UInt32 = geteuid(),
        ownerID: UInt32 = geteuid()
    ) async throws {
        directory = try TemporaryDirectory()
        socket = directory.path(of: "runner")
        let configuration = configuration.replacing("FOLDER", with: directory.path)
        let file = try directory.write(configuration, to: "config.yaml")
        for (name, text) in dropIns { try directory.write(text, to: "routes.d/\(name)") }
        var options = try DaemonOptions([])
        options.configuration = file
        options.socket = directory.path(of: "router")
        let locations = Locations(options, environment: { _ in nil }, isRoot: true)
        runner = try EventLoop(label: "runner")
        let events = events
        runner.start { events.add("stopped") }
        let listener = try Listener(path: socket, mode: 0o600)
        try await runner.serve(on: listener) {
            let log = Logger(label: "runner") { _ in RunnerLog(events: events) }
            return ProgramServer(
                locations, ownership: .rootOrUser(ownerID), callerID: callerID, logger: log
            ) { events.add("\($0)") }
        }
        router = try EventLoop(label: "router")
        let routerEvents = routerEvents
        router.start { routerEvents.add("stopped") }
        let logger = Logger(label: "router") { _ in RunnerLog(events: routerEvents) }
        let service = ServerRunner(socket: socket, logger: logger)
        let loaded = try RouterConfiguration(
            in: locations.configuration,
            LoadOptions(
                ownership: .any, runners: ProgramRunners(usual: service, unit: service, on: router), logger: logger))
        self.loaded = loaded
        let parts = ServiceParts(
            configuration: loaded, loader: ConfigurationLoader { loaded }, descriptorLimit: 1024,
            notifier: Notifier(ServiceManager(), logger: logger), logger: logger)
        try await router.serve(parts, on: try Listener(path: locations.socket, mode: 0o600), signals: [])
    }

    deinit {
        let loops = [runner, router]
        Task { for loop in loops { await loop.stop() } }
    }

    /// Changes a file of the configuration, which the router does not reload.
    func edit(_ name: String, _ text: String) throws { try directory.write(text, to: name) }

    /// Lets the configuration belong to another user, which takes root.
    func giveConfiguration(to userID: UInt32) {
        chown(directory.path(of: "config.yaml"), userID, getegid())
    }

    /// Lets all users connect to the runner.
    func admitOtherUsers() {
        chmod(directory.path, 0o755)
        chmod(socket, 0o666)
    }

    /// Makes the file that detached programs wait for.
    func letDetachedProgramsEnd() throws { try directory.write("", to: "go") }

    /// Lets the router stop as a signal does, and waits until it has.
    func stopRouter() async throws {
        await router.handle(signal: SIGTERM)
        try await routerEvents.wait(for: "stopped")
    }

    /// A client of the router.
    func client() throws -> LineClient { try LineClient(directory.path(of: "router")) }

    /// A client of the router that calls methods.
    func routerClient() throws -> RouterClient { try RouterClient(directory.path(of: "router")) }

    /// What the runner replies to the parameters of a call, without the zero byte at its end.
    func reply(to parameters: String) throws -> String {
        try reply(toMessage: message(parameters))
    }

    /// What the runner replies to a message.
    func reply(toMessage message: String) throws -> String {
        let call = OpenCall(connection: try ByteSocket.connect(to: socket))
        try call.send(message)
        return try call.readReply()
    }

    /// A call whose replies can be read, and that stays open as long as it is kept.
    func open(_ parameters: String) throws -> OpenCall {
        let call = OpenCall(connection: try ByteSocket.connect(to: socket))
        try call.send(message(parameters))
        return call
    }

    /// A call, with the hash of what the router has loaded in place of `#ROUTE#`; 0 for a route that it does not have.
    private func message(_ parameters: String) -> String {
        let parts = parameters.split(separator: "#", omittingEmptySubsequences: false)
        let text = parts.enumerated().map { number, part in
            if number % 2 == 0 { return String(part) }
            let route = loaded.pipeline.routes.first { $0.identity == part }
            return String(route?.fingerprint ?? 0, radix: 16)
        }
        return #"{"method":"org.xcallback.ProgramServer.Run","more":true,"parameters":\#(text.joined())}"#
    }
}

/// A call whose replies are read one after the other.
final class OpenCall {
    fileprivate let connection: ByteSocket
    private var bytes: [UInt8] = []

    fileprivate init(connection: consuming ByteSocket) {
        self.connection = connection
    }

    fileprivate func send(_ message: String) throws { try connection.send(Array(message.utf8) + [0]) }

    /// The next reply, without the zero byte at its end; empty at the end of the connection.
    func readReply() throws -> String {
        while !bytes.contains(0), try connection.receive(into: &bytes) {}
        let reply = bytes.prefix { $0 != 0 }
        bytes.removeFirst(min(reply.count + 1, bytes.count))
        return String(decoding: reply, as: UTF8.self)
    }
}

extension EventLoop {
    /// Serves what a function makes on the loop.
    fileprivate func serve(on listener: consuming sending Listener, _ make: @Sendable () -> ProgramServer) throws {
        setService(make())
        inputLimits.firstByte = .seconds(600)
        try listen(on: listener)
    }
}

/// A log that tells the message of each line.
private struct RunnerLog: LogHandler {
    let events: EventLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { events.add("\(event.message)") }
}
