import Synchronization
import XCallbackEventLoop
import XCallbackLinux
import XCallbackTesting

/// A running loop whose sessions a test writes.
final class TestLoop: Sendable {
    let loop: EventLoop
    let socket: String
    /// What sessions have told, in order.
    let trace = EventLog()
    private let directory: TemporaryDirectory

    /// Starts a loop.
    ///
    /// - Parameter makeSession: Makes the session of a connection.
    /// - Throws: ``ListenerError`` or ``SystemError`` if it cannot serve.
    init(_ makeSession: @escaping @Sendable (EventLog) -> any TestSession) async throws {
        directory = try TemporaryDirectory()
        socket = directory.path(of: "socket")
        loop = try EventLoop(label: "test")
        let trace = trace
        loop.start { trace.add("stopped") }
        // The threads that tasks share may be busy with other tests for longer than a client may be silent.
        await loop.perform { $0.inputLimits.firstByte = .seconds(600) }
        try await loop.serve({ TestService { makeSession(trace) } }, at: socket)
    }

    deinit {
        let loop = loop
        Task { await loop.stop() }
    }

    func connect() throws -> LineClient { try LineClient(socket) }
}

/// What a session waits for that answers later.
final class Gate: Sendable {
    private let state = Mutex<(waiting: ConnectionID?, passCount: Int)>((nil, 0))

    /// Lets the session that waits go on, as an event of its loop.
    func open(on loop: EventLoop) async {
        await loop.perform { loop in
            state.withLock { state in
                state.passCount += 1
                if let id = state.waiting.take() { loop.wake(id) }
            }
        }
    }

    /// Notes who waits.
    func await(_ id: ConnectionID?) { state.withLock { $0.waiting = id } }

    /// Whether the gate was opened since somebody passed.
    func pass() -> Bool {
        state.withLock { state in
            guard state.passCount > 0 else { return false }
            state.passCount -= 1
            return true
        }
    }
}

/// A session that knows its connection.
protocol TestSession: Session {
    /// Hears which connection it serves.
    func opened(_ id: ConnectionID, on loop: isolated EventLoop)
}

final class TestService: LoopService {
    private let makeSession: () -> any TestSession

    init(_ makeSession: @escaping () -> any TestSession) {
        self.makeSession = makeSession
    }

    func open(
        _ connection: ConnectionID, from credentials: Credentials, as kind: AccountClass, on loop: isolated EventLoop
    ) -> (any Session)? {
        let session = makeSession()
        session.opened(connection, on: loop)
        return session
    }

    func receive(signal: Int32, on loop: isolated EventLoop) {}
    func acceptFailed(_ error: SystemError, on loop: isolated EventLoop) {}
}

/// Calls a function on a loop that serves nobody.
func onLoop(_ body: @Sendable (isolated EventLoop) throws -> Void) async throws {
    let loop = try EventLoop(label: "test")
    loop.start()
    try await loop.perform(body)
    await loop.stop()
}

extension EventLoop {
    /// Serves on a socket.
    func serve(_ makeService: @Sendable () -> TestService, at path: String) throws {
        setService(makeService())
        try listen(on: try Listener(path: path, mode: 0o600))
    }

    /// Does something on the loop.
    func perform<Result: Sendable>(_ body: @Sendable (isolated EventLoop) throws -> Result) rethrows -> Result {
        try body(self)
    }
}
