import Synchronization
import XCallbackRouter
import XCallbackURL

/// Answers with the parameters of the request.
struct Echo: Handler {
    func handle(_ request: Request, _ host: any StageHost) -> Response { .success(request.parameters) }
}

/// Answers with what a function makes of the request.
struct Answering: Handler {
    let answer: @Sendable (Request) -> Response

    func handle(_ request: Request, _ host: any StageHost) -> Response { answer(request) }
}

/// Answers always the same.
struct Fixed: Handler {
    let response: Response

    init(_ response: Response) {
        self.response = response
    }

    func handle(_ request: Request, _ host: any StageHost) -> Response { response }

    func plan(for request: Request) -> StagePlan { StagePlan(response: response) }

    /// The facts about the target, which the configuration decides.
    var facts: StageFacts {
        var facts = StageFacts()
        if case .redirect(let target) = response { facts.redirect = .init(to: "notes", target: target, isFree: false) }
        return facts
    }
}

/// The names of stages in the order in which they ran.
final class Trace: Sendable {
    private let entries = Mutex<[String]>([])

    /// What ran, and nothing from now on.
    func taken() -> [String] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }

    func note(_ entry: String) {
        entries.withLock { $0.append(entry) }
    }
}

/// A stage of any kind that notes when it ran, and may end the request; its plan is its name, the parameters and that end.
struct Tracing: Middleware, ImmediatePolicy, Handler, HostedMiddleware, AsyncPolicy, HostedHandler {
    let trace: Trace
    let name: String
    /// What the stage ends the request in.
    var end: Response?
    var limit: Duration? { nil }

    init(_ trace: Trace, _ name: String, end: Response? = nil) {
        self.trace = trace
        self.name = name
        self.end = end
    }

    func plan(for request: Request) -> StagePlan { StagePlan(name, command: request.parameters.texts, response: end) }

    func receive(_ request: inout Request, _ host: any StageHost) -> MiddlewareResult {
        trace.note("\(name) receives")
        return end.map { .answer($0) } ?? .proceed
    }

    func finish(_ request: Request, _ response: inout Response, _ host: any StageHost) {
        trace.note("\(name) finishes")
    }

    func verify(_ request: Request, _ host: any StageHost) -> PolicyResult {
        trace.note("\(name) verifies")
        if case .error(let error) = end { return .failed(error) }
        return .verified
    }

    func verify(_ request: Request, _ host: any StageHost) async -> Response? {
        trace.note("\(name) asks")
        return end
    }

    func handle(_ request: Request, _ host: any StageHost) -> Response {
        trace.note("\(name) handles")
        return end ?? .success(QueryItems())
    }
}

/// Changes requests and responses with functions.
struct Changing: Middleware, HostedMiddleware {
    var request: @Sendable (inout Request) -> Void = { _ in }
    var response: @Sendable (inout Response) -> Void = { _ in }

    func receive(_ request: inout Request, _ host: any StageHost) -> MiddlewareResult {
        self.request(&request)
        return .proceed
    }

    func finish(_ request: Request, _ response: inout Response, _ host: any StageHost) {
        self.response(&response)
    }
}

/// A handler that waits and then answers or throws.
struct AsyncClosure: HostedHandler {
    let answer: @Sendable (Request) async throws -> Response

    func handle(_ request: Request, _ host: any StageHost) async throws -> Response {
        await Task.yield()
        return try await answer(request)
    }
}
