import Synchronization
import XCallbackPipeline
import XCallbackURL

/// Where stages wait until a test lets them go; it tells when they begin, end and are cancelled.
///
/// A stage that is cancelled goes on waiting, so that what it comes to is late.
final class Gate: Sendable {
    private struct State {
        var waiting: [String: CheckedContinuation<Void, any Error>] = [:]
        var results: [String: Result<Void, any Error>] = [:]
        var isOpen = false
    }

    let events: EventLog
    private let state = Mutex(State())

    init(_ events: EventLog) {
        self.events = events
    }

    /// Waits until the gate is opened for a name.
    func pass(_ name: String) async throws {
        events.add("\(name) begins")
        defer { events.add("\(name) ends") }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(for: name, $0) }
        } onCancel: {
            events.add("\(name) is cancelled")
        }
    }

    /// Lets the stage with a name go on, now or when it comes.
    func open(_ name: String, with result: Result<Void, any Error> = .success(())) {
        let continuation = state.withLock { state in
            let continuation = state.waiting.removeValue(forKey: name)
            if continuation == nil { state.results[name] = result }
            return continuation
        }
        continuation?.resume(with: result)
    }

    /// Lets all stages go on, and those that follow.
    func openForAll() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    private func wait(for name: String, _ continuation: CheckedContinuation<Void, any Error>) {
        let result = state.withLock { state -> Result<Void, any Error>? in
            if let result = state.results.removeValue(forKey: name) { return result }
            if state.isOpen { return .success(()) }
            state.waiting[name] = continuation
            return nil
        }
        if let result { continuation.resume(with: result) }
    }
}

/// Answers with the name of the request, once its gate is open for it.
struct Gated: AsyncHandler {
    let gate: Gate

    func handle(_ request: Request) async throws -> Response {
        let name = request.parameters["name"]
        try await gate.pass(name ?? "")
        return .success(["name": name])
    }
}

/// Asks for so long at most, until its gate is open for the name of the request.
struct Question: AsyncPolicy {
    let gate: Gate
    let limit: Duration?

    func verify(_ request: Request, _ peers: PeerReader?) async -> Response? {
        try? await gate.pass(request.parameters["name"] ?? "")
        return nil
    }
}

/// Sends the request to `app:/now`, once its gate is open for it.
struct GatedRedirect: AsyncHandler {
    let gate: Gate

    func handle(_ request: Request) async throws -> Response {
        try await gate.pass(request.parameters["name"] ?? "")
        return .redirect(try Callback(bytes: Array("app:/now?name=then".utf8)))
    }
}

/// A stage of a kind that may wait, and does not.
struct Prompt: AsyncMiddleware, AsyncPolicy, AsyncHandler {
    func receive(_ request: inout Request) async -> MiddlewareResult { .proceed }
    func verify(_ request: Request, _ peers: PeerReader?) async -> Response? { nil }
    func handle(_ request: Request) async throws -> Response { .success(["name": request.parameters["name"]]) }
}

/// Tells which requests it has received and finished; as a handler, which have begun.
struct Telling: Middleware, Handler {
    let events: EventLog

    func receive(_ request: inout Request, _ state: inout PipelineState) -> MiddlewareResult {
        events.add("\(request.parameters["name"] ?? "") is received")
        return .proceed
    }

    func finish(_ request: Request, _ response: inout Response, _ state: inout PipelineState) {
        events.add("\(request.parameters["name"] ?? "") is finished")
    }

    func handle(_ request: Request, _ state: inout PipelineState) -> Response {
        let name = request.parameters["name"]
        events.add("\(name ?? "") begins")
        return .success(["name": name])
    }
}
