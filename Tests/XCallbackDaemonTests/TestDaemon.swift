import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackDaemon
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackRouting
import XCallbackSystemd
import XCallbackTesting

/// A daemon in the process of the test, whose routes wait at a gate.
final class TestDaemon: Sendable {
    /// What stages have told, and `stopped` at the end.
    let events: EventLog
    let gate: Gate
    private let loop: EventLoop
    private let socket: String
    private let directory: TemporaryDirectory

    /// Starts a daemon.
    ///
    /// - Parameters:
    ///   - limits: Its limits.
    ///   - reload: What loads the configuration of a reload; by default it is that of the start.
    /// - Throws: ``SystemError`` or ``ListenerError`` if it cannot serve.
    init(
        limits: Limits = Limits(),
        reload: (@Sendable () throws(ConfigurationError) -> RouterConfiguration)? = nil
    ) async throws {
        let events = EventLog()
        self.events = events
        gate = Gate(events)
        directory = try TemporaryDirectory()
        socket = directory.path(of: "socket")
        loop = try EventLoop(label: "test")
        loop.start()
        let pipeline = try Pipeline(
            schemes: [SchemeSettings("app")], routes: Self.routes(gate),
            callbackRules: CallbackRules(ownSchemes: ["app"]))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        // The threads that tasks share may be busy with other tests for longer than a client may be silent.
        let limits = Limits(limits) { $0.firstByte = .seconds(600) }
        let configuration = RouterConfiguration(pipeline: pipeline, limits: limits)
        let loader = ConfigurationLoader { _ throws(ConfigurationError) in
            try reload?() ?? configuration
        } report: { _ in
            events.add("faults are told")
        }
        let parts = ServiceParts(
            configuration: configuration, loader: loader, descriptorLimit: 1024,
            notifier: Notifier(ServiceManager(), logger: logger), logger: logger)
        let listener = try Listener(path: socket, mode: 0o600)
        try await loop.serve(parts, on: listener, signals: []) { events.add("stopped") }
    }

    deinit {
        gate.openForAll()
        let loop = loop
        Task { await loop.stop() }
    }

    func connect() throws -> TestClient { try TestClient(socket) }

    /// Lets the daemon stop as a signal does.
    func terminate() async {
        await loop.handle(signal: SIGTERM)
    }

    /// Lets the daemon read its configuration anew as a signal does.
    func reload() async {
        await loop.handle(signal: SIGHUP)
    }

    private static func routes(_ gate: Gate) throws -> [Route] {
        let gated = Route.HandlerStage.asynchronous(Gated(gate: gate))
        let telling = Telling(events: gate.events)
        return [
            try route("now", Route.Stages(handler: .immediate(telling))),
            try route("prompt", Route.Stages(handler: .asynchronous(Prompt()))),
            try route("wait", Route.Stages(handler: gated)),
            try route("wait-briefly", timeout: .milliseconds(50), Route.Stages(handler: gated)),
            try route("wait-long", timeout: .seconds(600), Route.Stages(handler: gated)),
            try route("wait-and-go-on", Route.Stages(handler: .asynchronous(GatedRedirect(gate: gate)))),
            try route("wait-told", Route.Stages(handler: gated)) { $0.middleware = [NamedStage(.immediate(telling))] },
            try route("ask-and-wait-briefly", timeout: .milliseconds(50), Route.Stages(handler: gated)) {
                $0.asyncPolicies = [NamedStage(Prompt())]
            },
            try route("ask", timeout: .milliseconds(50), Route.Stages(handler: .immediate(telling))) {
                $0.asyncPolicies = [NamedStage(Question(gate: gate, limit: .seconds(600)))]
            },
            try route("ask-then-wait", timeout: .milliseconds(50), Route.Stages(handler: gated)) {
                $0.asyncPolicies = [NamedStage(Question(gate: gate, limit: .seconds(600)))]
            },
            try route("ask-briefly", timeout: .seconds(600), Route.Stages(handler: .immediate(telling))) {
                $0.asyncPolicies = [NamedStage(Question(gate: gate, limit: .milliseconds(50)))]
            },
            try route("receive-and-wait-briefly", timeout: .milliseconds(50), Route.Stages(handler: gated)) {
                $0.middleware = [NamedStage(.asynchronous(Prompt()))]
            },
        ]
    }

    private static func route(
        _ action: String, timeout: Duration? = nil, _ stages: Route.Stages,
        _ change: (inout Route.Stages) -> Void = { _ in }
    ) throws -> Route {
        var stages = stages
        change(&stages)
        return Route(
            scheme: "app", pattern: try RoutePattern("/\(action)"), reach: .open, timeout: timeout, stages: stages)
    }
}

extension Limits {
    /// The limits of a daemon, but for some.
    init(_ limits: Limits = Limits(), _ change: (inout Limits) -> Void) {
        self = limits
        change(&self)
    }
}

/// The answer to a request with a name that succeeds.
func success(_ name: String) -> String { "xcallback://x-callback-url/success?name=\(name)" }

/// How the answer to a request begins that fails with a code.
func failure(_ code: Int) -> String { "xcallback://x-callback-url/error?errorCode=\(code)&" }
