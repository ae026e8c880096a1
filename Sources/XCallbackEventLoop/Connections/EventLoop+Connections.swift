import CLinux
import Glibc
import XCallbackLinux
import XCallbackWire

// The life of a line: it is received, the session processes it, the answer is sent with others, and the next state follows.
extension EventLoop {
    /// How long a client may continue to send data that is discarded, after its connection is closed.
    private static let lingerLimit = Duration.seconds(2)

    // MARK: - Turns

    /// Continues a session that waits for an event.
    package func wake(_ id: ConnectionID) {
        if let connection = connections[id] { wake(connection) }
    }

    func wake(_ connection: Connection) {
        connection.turn.isAwake = true
        ready.add(connection)
    }

    /// Gives a connection its turn: it handles its events, or its session continues.
    func takeTurn(_ connection: Connection, _ buffers: inout Buffers) {
        let (events, isAwake) = (connection.turn.events, connection.turn.isAwake)
        connection.turn.events = []
        connection.turn.isAwake = false
        if connection.state == .queued, events.isDisjoint(with: .gone) { return continueSession(connection, &buffers) }
        if events.contains(.writable) {
            sendRest(of: connection)
        } else if events.contains(.readable), connection.neededInterest == .readable {
            receive(connection, &buffers.input, &buffers.outbox)
        } else if !events.isDisjoint(with: .gone) {
            close(connection)
        }
        if isAwake, connection.state != .queued { continueSession(connection, &buffers) }
    }

    /// Continues a session that was woken, that has input left, or whose connection drains.
    private func continueSession(_ connection: Connection, _ buffers: inout Buffers) {
        switch connection.state {
        // The output comes first, and then the session.
        case .answered, .sending: connection.turn.isAwake = true
        case .reading where connection.mustReadAgain: receive(connection, &buffers.input, &buffers.outbox)
        case .reading, .queued, .waiting:
            runOnUnread(connection, &buffers.outbox)
            if connection.state != .answered { updateState(of: connection) }
        case .lingering, .closed: break
        }
    }

    // MARK: - Receiving

    /// Reads once, runs the session on the data, and keeps the bytes that it does not consume.
    func receive(_ connection: Connection, _ buffer: inout [UInt8], _ outbox: inout Outbox) {
        if connection.input == .closing {
            guard hasInput(connection.number) else { return updateState(of: connection) }
            endInput(of: connection)
        }
        let (count, passed) = read(connection, into: &buffer)
        if count < 0 { return errno == EAGAIN ? updateState(of: connection) : close(connection) }
        if connection.input == .silent {
            connection.input = .open
            setDeadline(of: connection, after: nil)
        }
        if !passed.isEmpty {
            closeBeside(passed, for: connection.account)
            return refuse(connection, .descriptors)
        }
        if count == 0 { connection.input = connection.input == .draining ? .cut : .ended }
        if connection.state == .lingering { return connection.input == .ended ? close(connection) : () }
        if connection.unread.isEmpty {
            let consumed = runSession(connection, buffer.span.extracting(first: count), &outbox)
            if consumed < count { connection.unread.append(buffer[consumed..<count]) }
        } else {
            connection.unread.append(buffer[..<count])
            runOnUnread(connection, &outbox)
        }
        if connection.state != .answered { updateState(of: connection) }
    }

    /// Reads once; returns the number of bytes, or -1 with `errno` set, and the descriptors that were passed with them.
    private func read(_ connection: Connection, into input: inout [UInt8]) -> (count: Int, passed: [Int32]) {
        guard connection.remote.passesDescriptors else {
            return (uninterrupted { xcb_receive(connection.number, &input, input.count) }, [])
        }
        return withUnsafeTemporaryAllocation(of: Int32.self, capacity: Int(XCB_PASSED_LIMIT)) { passed in
            var passedCount: Int32 = 0
            let count = uninterrupted {
                xcb_receive_passed(connection.number, &input, input.count, passed.baseAddress, &passedCount)
            }
            return (count, Array(passed.prefix(Int(passedCount))))
        }
    }

    // MARK: - Processing

    /// Runs the session on its remaining input.
    private func runOnUnread(_ connection: Connection, _ outbox: inout Outbox) {
        var unread = PendingBytes()
        swap(&unread, &connection.unread)
        unread.finish(runSession(connection, unread.bytes.span.extracting(unread.rest), &outbox))
        connection.unread = unread
    }

    /// Runs the session; its output is sent with that of others.
    ///
    /// - Returns: The number of consumed bytes of the input.
    private func runSession(_ connection: Connection, _ input: Span<UInt8>, _ outbox: inout Outbox) -> Int {
        let start = outbox.output.count
        let isAtEnd = connection.input == .ended
        let progress = connection.session.proceed(input, isAtEnd: isAtEnd, &outbox.output, on: self)
        // A session can disconnect its own connection.
        if connection.state == .closed {
            outbox.output.truncate(to: start)
            return input.count
        }
        connection.need = progress.need
        if progress.consumed > 0 { setDeadline(of: connection, after: nil) }
        outbox.keep(from: start, for: connection)
        return connection.need == .close ? input.count : progress.consumed
    }

    // MARK: - Sending

    /// Sends the kept answers.
    func sendAnswers(_ outbox: inout Outbox) {
        guard !outbox.answers.isEmpty else { return }
        for index in outbox.answers.indices {
            let answer = outbox.answers[index]
            guard let connection = connections[answer.connection] else { continue }
            send(outbox.output.bytes.span.extracting(answer.range), on: connection)
            updateState(of: connection)
        }
        outbox.removeAll()
    }

    /// Sends bytes and keeps those that the socket does not accept.
    private func send(_ bytes: Span<UInt8>, on connection: Connection) {
        if bytes.isEmpty { return }
        guard let count = sendOnce(bytes, to: connection.number) else {
            // The client is gone.
            connection.need = .close
            connection.input = .ended
            return
        }
        if count < bytes.count { connection.unsent = PendingBytes(bytes.extracting(count..<bytes.count)) }
    }

    /// Sends more of the kept bytes.
    private func sendRest(of connection: Connection) {
        let unsent = connection.unsent
        guard let count = sendOnce(unsent.bytes.span.extracting(unsent.rest), to: connection.number) else {
            return close(connection)
        }
        connection.unsent.finish(count)
        if !connection.hasUnsent { updateState(of: connection) }
    }

    // MARK: - The next state

    /// Determines the next state of a connection after its session has run, or its output was sent.
    func updateState(of connection: Connection) {
        if connection.state == .lingering || connection.state == .closed { return }
        do throws(Excess) {
            try connection.countBytes()
        } catch {
            return refuse(connection, .excess(error))
        }
        connection.state = connection.nextState
        switch connection.state {
        case .queued: return ready.add(connection)
        case .closed: return close(connection)
        case .lingering: linger(connection)
        case .reading where connection.mustReadAgain: return wake(connection)
        case .reading where connection.isAmidMessage && connection.deadline == nil:
            setDeadline(of: connection, after: inputLimits.message)
        default: break
        }
        if connection.turn.isAwake, connection.state != .sending { ready.add(connection) }
        watch(connection)
    }

    /// Waits for the events that the connection needs.
    private func watch(_ connection: Connection) {
        let interest = connection.neededInterest
        guard interest != connection.interest else { return }
        let (number, id) = (connection.number, connection.id.rawValue)
        do {
            if connection.interest == nil {
                try poller.add(number, interest, as: id)
            } else {
                try poller.modify(number, interest, as: id)
            }
            connection.interest = interest
        } catch {
            close(connection)
        }
    }

    /// Replaces the deadline of a connection.
    func setDeadline(of connection: Connection, after delay: Duration?) {
        replaceDeadline(&connection.deadline, .connection(connection.id), after: delay)
    }

    /// Ends a connection because of a fault; the client gets the answer if the socket accepts it at once.
    func refuse(_ connection: Connection, _ fault: InputFault) {
        let answer = connection.session.refuse(fault, on: self)
        let hadUnsent = connection.hasUnsent
        connection.unread = PendingBytes()
        connection.need = .close
        if !hadUnsent { send(answer.span, on: connection) }
        if connection.hasUnsent { close(connection) } else { updateState(of: connection) }
    }

    /// Ends the output but waits for the client, because closing at once could lose the last line.
    private func linger(_ connection: Connection) {
        connection.unread = PendingBytes()
        // From now on, the deadline is for the end, even if nothing was read yet.
        connection.input = .open
        _ = xcb_shutdown(connection.number, Int32(SHUT_WR))
        setDeadline(of: connection, after: Self.lingerLimit)
    }

    /// Closes a connection and notifies its session.
    func close(_ connection: Connection) {
        guard connections[connection.id] === connection else { return }
        connection.state = .closed
        setDeadline(of: connection, after: nil)
        connection.account.give(.bytes, connection.heldCount)
        connections.remove(connection.id)
        // The last reference to the connection closes the descriptor.
        poller.remove(connection.number)
        // Unread data can contain descriptors.
        if connection.remote.passesDescriptors, connection.input != .ended, let descriptor = connection.takeDescriptor()
        {
            closeBeside([descriptor.release()], for: connection.account)
        }
        connection.session.closed(on: self)
        resumeAccepting()
    }

    /// Closes a connection at once, in any state of its session.
    package func disconnect(_ id: ConnectionID) {
        if let connection = connections[id] { close(connection) }
    }
}

/// The answers of a few connections, which are sent together.
///
/// The first answer wakes the client, and the others find it awake: together they cost a quarter less.
struct Outbox {
    /// The maximum number of answers.
    private static let answerLimit = 64
    /// The size above which the memory is released after its bytes were sent.
    private static let memoryLimit = 1 << 20

    /// The output of the sessions.
    var output = ByteBuffer()
    /// The part of each connection.
    private(set) var answers: [(connection: ConnectionID, range: Range<Int>)] = []

    /// Whether it must be emptied before more is written.
    var isFull: Bool { answers.count >= Self.answerLimit }

    /// Keeps the output from a position on, if there is any, as the answer of a connection.
    mutating func keep(from start: Int, for connection: Connection) {
        guard start < output.count else { return }
        connection.state = .answered
        answers.append((connection.id, start..<output.count))
    }

    /// Removes all answers, and keeps the memory unless it is large.
    mutating func removeAll() {
        if output.bytes.count > Self.memoryLimit { output = ByteBuffer() } else { output.truncate() }
        answers.removeAll(keepingCapacity: true)
    }
}

/// Sends once; returns 0 if the socket accepts no data now, nil if the client is gone.
private func sendOnce(_ bytes: Span<UInt8>, to descriptor: Int32) -> Int? {
    let count = bytes.withUnsafeBytes { buffer in
        uninterrupted { xcb_send(descriptor, buffer.baseAddress, buffer.count) }
    }
    if count < 0 { return errno == EAGAIN ? 0 : nil }
    return count
}

/// Repeats a call while a signal interrupts it: a read at a deadline is the last one.
func uninterrupted(_ call: () -> Int) -> Int {
    while true {
        let count = call()
        if count >= 0 || errno != EINTR { return count }
    }
}

/// Whether the client has sent data or closed its sending side.
func hasInput(_ descriptor: Int32) -> Bool {
    var member = pollfd(fd: descriptor, events: Int16(EPOLLIN.rawValue | EPOLLRDHUP.rawValue), revents: 0)
    return xcb_poll(&member, 1, 0) > 0
}
