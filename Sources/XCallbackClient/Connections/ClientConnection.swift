import CLinux
import Dispatch
import Glibc
import Synchronization
import XCallbackJSON
import XCallbackVarlink

/// A connection with the daemon, on which one task at a time makes calls.
///
/// A little is read ahead. While nobody wants more, nothing is read, so that the daemon notices who is slow.
final class ClientConnection: Sendable {
    private static let queue = DispatchQueue(label: "xcallback.client")

    private let path: String
    private let socket: ClientSocket
    private let blocking: BlockingWait?
    private let state = Mutex(State())

    private struct State {
        var conversation = ClientConversation()
        var waiting: CheckedContinuation<VarlinkReply, any Error>?
        var isOpen = true
        /// Who tells that there is something to read; nil if the thread waits for that itself, or nothing is to be told.
        var reader: (any DispatchSourceRead)?
        var isPaused = false
        /// What waits for room in the socket, and who tells that there is some.
        var output: ArraySlice<UInt8> = []
        /// Whether the daemon has gone before it read all of the last call.
        var hasUnread = false
        var writer: (any DispatchSourceWrite)?
    }

    /// Connects to the daemon.
    ///
    /// - Parameters:
    ///   - path: The path of its socket.
    ///   - blocking: How it waits if it may hold up its thread.
    /// - Throws: ``ClientError`` or `CancellationError`.
    init(connectingTo path: String, blocking: BlockingWait?) async throws {
        self.path = path
        self.blocking = blocking
        let socket = try await ClientSocket(connectingTo: path, blocking: blocking)
        self.socket = socket
        if blocking != nil { return }
        state.withLock { state in
            let reader = DispatchSource.makeReadSource(fileDescriptor: socket.number, queue: Self.queue)
            reader.setEventHandler { @Sendable [weak self] in self?.receive() }
            // The descriptor is closed when nothing watches it any more.
            reader.setCancelHandler { @Sendable in _ = socket }
            reader.activate()
            state.reader = reader
        }
    }

    deinit {
        close()
    }

    /// Whether another call can be made.
    var isIdle: Bool { state.withLock { $0.isOpen && $0.conversation.isIdle } }

    /// Whether the daemon has surely gone before it read all of the last call, of which it has done nothing then.
    ///
    /// One that stops takes nothing more at first, and answers what it has taken. Of one that is killed, the kernel tells
    /// if it left something unread.
    var hasUnread: Bool { state.withLock(\.hasUnread) }

    /// Calls a method that has one reply.
    ///
    /// - Returns: The parameters of the reply.
    /// - Throws: ``ClientError`` or `CancellationError`; after the latter, and unless the daemon has answered, the
    ///   connection is closed.
    func call(_ method: String, _ parameters: JSONValue) async throws -> JSONValue {
        send(method, parameters, mode: .once)
        return try await nextReply().parameters
    }

    /// Sends a call.
    func send(_ method: String, _ parameters: JSONValue, mode: VarlinkCall.Mode) {
        state.withLock { state in
            var output = Array(state.output)
            state.conversation.call("\(Client.interface).\(method)", parameters, mode: mode, into: &output)
            state.output = output[...]
            flush(&state)
        }
    }

    /// Waits for the next reply.
    ///
    /// - Returns: Its parameters, and whether others follow.
    /// - Throws: ``ClientError`` or `CancellationError`, which closes the connection.
    func nextReply() async throws -> (parameters: JSONValue, continues: Bool) {
        let reply = if let blocking { try waitForReply(blocking) } else { try await waitForReply() }
        switch reply.result {
        case .success(let parameters): return (parameters, reply.continues)
        case .failure(let error):
            let error = ClientError(error, from: path)
            // The daemon closes the connection behind that, which may not be seen yet.
            if case .tooLong = error.reason { close() }
            throw error
        }
    }

    /// Ends the conversation; who waits for a reply is told that it was cancelled.
    func close() {
        let waiting = state.withLock { state in
            state.conversation.end(with: CancellationError())
            stopWatching(&state)
            return state.waiting.take()
        }
        socket.shutDown()
        waiting?.resume(throwing: CancellationError())
    }
}

// MARK: - Input

extension ClientConnection {
    /// How much is read before anybody wants it.
    private static let readAhead = 65_536

    /// Waits for the next reply in system calls.
    private func waitForReply(_ blocking: BlockingWait) throws -> VarlinkReply {
        try state.withLock { state in
            while true {
                flush(&state)
                if let result = state.conversation.next(from: path) { return try result.get() }
                // What has ended the conversation is told the next time.
                if fill(&state) || !state.isOpen { continue }
                do {
                    try blocking.wait(for: socket.number, state.output.isEmpty ? POLLIN : POLLIN | POLLOUT)
                } catch {
                    state.conversation.end(with: error)
                    stopWatching(&state)
                    throw error
                }
            }
        }
    }

    /// Waits for the next reply, while the thread does something else.
    private func waitForReply() async throws -> VarlinkReply {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state in wait(continuation, &state) }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            close()
        }
    }

    /// The next reply, or what has ended the conversation; nil if the continuation has to wait.
    private func wait(
        _ continuation: CheckedContinuation<VarlinkReply, any Error>, _ state: inout State
    ) -> Result<VarlinkReply, any Error>? {
        precondition(state.waiting == nil, "two tasks wait on one connection")
        if let result = state.conversation.next(from: path) { return result }
        // Dispatch may not tell again of what was there when reading stopped.
        while fill(&state) {
            if let result = state.conversation.next(from: path) { return result }
        }
        if let result = state.conversation.next(from: path) { return result }
        state.waiting = continuation
        resume(&state)
        return nil
    }

    /// Takes all there is, as long as somebody wants it; called on the queue.
    private func receive() {
        let (waiting, result) = state.withLock { state in
            var result: Result<VarlinkReply, any Error>?
            var isMore = true
            while isMore {
                isMore = fill(&state)
                if result == nil, state.waiting != nil { result = state.conversation.next(from: path) }
                guard result != nil || state.waiting == nil else { continue }
                if state.conversation.unreadCount >= Self.readAhead { isMore = pause(&state) }
            }
            return (result == nil ? nil : state.waiting.take(), result)
        }
        if let result { waiting?.resume(with: result) }
    }

    /// Reads once; false if there is nothing more for now, or ever.
    private func fill(_ state: inout State) -> Bool {
        guard state.isOpen else { return false }
        let code = state.conversation.fill(Self.readAhead) { buffer in
            let count = xcb_receive(socket.number, buffer.baseAddress, buffer.count)
            return count < 0 ? -Int(errno) : count
        }
        switch code {
        case nil: return true
        case EINTR: return true
        case EAGAIN: return false
        case .some(let code):
            if code == ECONNRESET { state.hasUnread = true }
            let cause =
                code == 0 ? "it closed the connection" : strerror(code).map { String(cString: $0) } ?? "error \(code)"
            state.conversation.end(with: ClientError.disconnected(from: path, cause))
            stopWatching(&state)
            return false
        }
    }

    /// Stops reading until somebody waits; false, as nothing is read on.
    private func pause(_ state: inout State) -> Bool {
        if !state.isPaused, let reader = state.reader {
            reader.suspend()
            state.isPaused = true
        }
        return false
    }

    private func resume(_ state: inout State) {
        if state.isPaused { state.reader?.resume() }
        state.isPaused = false
    }

    /// Lets go of the descriptor.
    private func stopWatching(_ state: inout State) {
        state.isOpen = false
        // A source that is suspended would never be cancelled.
        resume(&state)
        state.reader.take()?.cancel()
        state.writer.take()?.cancel()
        if !state.output.isEmpty { state.hasUnread = true }
        state.output = []
    }
}

// MARK: - Output

extension ClientConnection {
    /// Sends what the socket takes; that the daemon is gone is noticed by reading.
    private func flush(_ state: inout State) {
        while !state.output.isEmpty, state.isOpen {
            let count = state.output.withUnsafeBytes { xcb_send(socket.number, $0.baseAddress, $0.count) }
            let code = errno
            if count >= 0 {
                state.output.removeFirst(count)
            } else if code == EAGAIN {
                return blocking == nil ? watchForRoom(&state) : ()
            } else if code != EINTR {
                state.hasUnread = true
                state.output = []
            }
        }
        if !state.output.isEmpty { state.hasUnread = true }
        state.output = []
        state.writer.take()?.cancel()
    }

    private func watchForRoom(_ state: inout State) {
        guard state.writer == nil else { return }
        let writer = DispatchSource.makeWriteSource(fileDescriptor: socket.number, queue: Self.queue)
        writer.setEventHandler { @Sendable [weak self] in
            guard let self else { return }
            self.state.withLock { state in self.flush(&state) }
        }
        writer.setCancelHandler { @Sendable [socket] in _ = socket }
        writer.activate()
        state.writer = writer
    }
}
