import CLinux
import Dispatch
import Glibc
import Synchronization
import XCallbackLinux
import XCallbackRouter
import XCallbackWire

/// A connection to the daemon, on which one task at a time makes calls.
///
/// It reads ahead only a little: while no task waits for replies it stops reading, so that the daemon detects slow clients.
final class ClientConnection: Sendable {
    private static let queue = DispatchQueue(label: "xcallback.client")

    private let path: String
    private let socket: ClientSocket
    private let state = Mutex(State())

    private struct State {
        var conversation = ClientConversation()
        var waiting: CheckedContinuation<VarlinkReply, any Error>?
        var isOpen = true
        /// The source of read events; nil if there is nothing to watch.
        var reader: (any DispatchSourceRead)?
        var isPaused = false
        /// Output that waits for room in the socket, and the source of write events.
        var output: ArraySlice<UInt8> = []
        /// Whether the daemon has gone away before it read all of the last call.
        var hasUnread = false
        var writer: (any DispatchSourceWrite)?
    }

    /// Connects to the daemon.
    ///
    /// - Parameter path: The path of the socket.
    /// - Throws: ``ClientError`` or `CancellationError`.
    init(connectingTo path: String) async throws {
        self.path = path
        let socket = try await ClientSocket(connectingTo: path)
        self.socket = socket
        state.withLock { state in
            let reader = DispatchSource.makeReadSource(fileDescriptor: socket.number, queue: Self.queue)
            reader.setEventHandler { @Sendable [weak self] in self?.receive() }
            // The descriptor is closed when no source watches it.
            reader.setCancelHandler { @Sendable in _ = socket }
            reader.activate()
            state.reader = reader
        }
    }

    deinit {
        close()
    }

    /// The user of the daemon.
    var serverUserID: UInt32 { socket.serverUserID }

    /// Whether another call can be made.
    var isIdle: Bool { state.withLock { $0.isOpen && $0.conversation.isIdle } }

    /// Whether the daemon has certainly gone away before it read all of the last call, and so has not acted on it.
    ///
    /// A daemon that stops first stops reading, and then answers what it has read. For a daemon that was killed, the kernel
    /// reports whether it left unread data.
    var hasUnread: Bool { state.withLock(\.hasUnread) }

    /// Calls a method with a single reply, and perhaps progress before it.
    ///
    /// - Returns: The parameters of the reply.
    /// - Throws: ``ClientError`` or `CancellationError`; after the latter, and after any error that is not the daemon's
    ///   answer, the connection is closed.
    func call(
        _ method: String, _ parameters: JSONValue, _ progress: (@Sendable (RequestProgress) -> Void)?
    ) async throws -> JSONValue {
        send(method, parameters, mode: progress == nil ? .once : .more)
        return try await lastReply(progress)
    }

    /// Sends a call.
    func send(_ method: String, _ parameters: JSONValue, mode: VarlinkCall.Mode) {
        state.withLock { state in
            var output = Array(state.output)
            state.conversation.session.call("\(Client.interface).\(method)", parameters, mode: mode, into: &output)
            state.output = output[...]
            flush(&state)
        }
    }

    /// Waits for the next reply.
    ///
    /// - Returns: The parameters, and whether more replies follow.
    /// - Throws: ``ClientError`` or `CancellationError`, which closes the connection.
    func nextReply() async throws -> (parameters: JSONValue, continues: Bool) {
        let reply = try await waitForReply()
        switch reply.result {
        case .success(let parameters): return (parameters, reply.continues)
        case .failure(let error):
            let error = ClientError(error, from: path)
            // The daemon closes the connection after this error, which may not be visible yet.
            if case .tooLong = error.reason { close() }
            throw error
        }
    }

    /// Waits for the last reply to a call.
    ///
    /// - Parameters:
    ///   - first: The reply that came before; nil for none.
    ///   - progress: Called with the progress in each reply before the last one.
    /// - Returns: Its parameters.
    /// - Throws: As ``nextReply()``.
    func lastReply(
        after first: (parameters: JSONValue, continues: Bool)? = nil, _ progress: ((RequestProgress) -> Void)?
    ) async throws -> JSONValue {
        var reply = if let first { first } else { try await nextReply() }
        while reply.continues {
            if var value: RequestProgress = reply.parameters.member("progress") {
                value.requestID = reply.parameters["id"]?.text
                progress?(value)
            }
            reply = try await nextReply()
        }
        return reply.parameters
    }

    /// Ends the conversation; a caller that waits for a reply gets a `CancellationError`.
    func close() {
        let waiting = state.withLock { state in
            state.conversation.end(with: CancellationError())
            stopWatching(&state)
            return state.waiting.take()
        }
        // Even if the socket has other owners.
        shutdown(socket.number, Int32(SHUT_RDWR))
        waiting?.resume(throwing: CancellationError())
    }
}

// MARK: - Input

extension ClientConnection {
    /// The maximum number of bytes that are read ahead.
    private static let readAhead = 65_536

    /// Waits for the next reply.
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

    /// Returns the next reply, or the reason why the conversation ended; nil if the continuation must wait.
    private func wait(
        _ continuation: CheckedContinuation<VarlinkReply, any Error>, _ state: inout State
    ) -> Result<VarlinkReply, any Error>? {
        precondition(state.waiting == nil, "two tasks wait on one connection")
        if let result = state.conversation.next(from: path) { return result }
        // Dispatch may not report again data that was there when reading stopped.
        while fill(&state) {
            if let result = state.conversation.next(from: path) { return result }
        }
        if let result = state.conversation.next(from: path) { return result }
        state.waiting = continuation
        resume(&state)
        return nil
    }

    /// Reads all available data while a task waits for it; called on the queue.
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

    /// Reads once; returns false if there is no more data for now, or ever.
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
                code == 0 ? "it closed the connection" : systemMessage(code)
            state.conversation.end(with: ClientError.disconnected(from: path, cause))
            stopWatching(&state)
            return false
        }
    }

    /// Stops reading until a task waits; returns false.
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

    /// Releases the descriptor.
    private func stopWatching(_ state: inout State) {
        state.isOpen = false
        // A suspended source would never be cancelled.
        resume(&state)
        state.reader.take()?.cancel()
        state.writer.take()?.cancel()
        if !state.output.isEmpty { state.hasUnread = true }
        state.output = []
    }
}

// MARK: - Output

extension ClientConnection {
    /// Sends as much as the socket accepts; reading detects that the daemon is gone.
    private func flush(_ state: inout State) {
        while !state.output.isEmpty, state.isOpen {
            let count = state.output.withUnsafeBytes { xcb_send(socket.number, $0.baseAddress, $0.count) }
            let code = errno
            if count >= 0 {
                state.output.removeFirst(count)
            } else if code == EAGAIN {
                return watchForRoom(&state)
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

/// The unread input of a client, and how its conversation with the daemon ended, if it has.
struct ClientConversation {
    /// The calls, and the replies that are expected.
    var session = VarlinkClientSession()
    private var input: [UInt8] = []
    /// The position of the next reply in ``input``.
    private var position = 0
    private var ending: (any Error)?

    /// Whether no call waits for a reply, and no unexpected reply was received.
    var isIdle: Bool { ending == nil && session.openCount == 0 && unreadCount == 0 }
    /// The number of unread bytes.
    var unreadCount: Int { input.count - position }

    /// Reads the next reply.
    ///
    /// - Parameter path: The path of the server, for messages.
    /// - Returns: The reply, or the reason why the conversation ended; nil if more data is needed.
    mutating func next(from path: String) -> Result<VarlinkReply, any Error>? {
        let input = input
        switch session.next(in: input.span, from: position) {
        case .reply(let reply, let next):
            position = next
            return .success(reply)
        case .needsInput(let start):
            position = start
        case .close(let fault):
            // This is more important than the end of the connection that follows it.
            ending = ClientError.incompatible(path, "has sent \(fault)")
            (self.input, position) = ([], 0)
        }
        return ending.map { .failure($0) }
    }

    /// Appends received data.
    ///
    /// - Parameters:
    ///   - count: The maximum number of bytes.
    ///   - receive: Writes the bytes to its buffer; returns their number, or a negative error number.
    /// - Returns: Nil if there were any; 0 at the end, otherwise the error number.
    mutating func fill(_ count: Int, _ receive: (UnsafeMutableRawBufferPointer) -> Int) -> Int32? {
        if position > 0 {
            input.removeFirst(position)
            position = 0
        }
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { buffer in
            let count = receive(buffer)
            guard count > 0 else { return Int32(-count) }
            input += buffer[..<count]
            return nil
        }
    }

    /// Ends the conversation; if the other end has ended it, complete replies can still be read.
    mutating func end(with error: any Error) {
        if ending == nil { ending = error }
        if error is CancellationError || position == input.count { (input, position) = ([], 0) }
    }
}
