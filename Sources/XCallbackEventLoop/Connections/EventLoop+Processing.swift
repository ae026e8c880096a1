import XCallbackBytes
import XCallbackLinux

// Processing: sessions run on their input, and the next states of connections.
extension EventLoop {
    /// How long sessions work before the answers are sent and others get their turns, in nanoseconds.
    private static let workTime: Int64 = 500_000

    /// Runs the sessions on all received data, and sends their answers; work that takes too long is deferred.
    func processBatch(_ buffers: inout Buffers) {
        let end = buffers.inbox.isLong ? monotonicTime() + Self.workTime : .max
        var (isOver, workedCount) = (false, 0)
        for index in buffers.inbox.arrivals.indices {
            let arrival = buffers.inbox.arrivals[index]
            guard let connection = connections[arrival.connection] else { continue }
            if connection.state == .lingering {
                if connection.input == .ended { close(connection) }
                continue
            }
            if workedCount >= Inbox.shortWork {
                workedCount = 0
                isOver = isOver || monotonicTime() > end
            }
            workedCount += arrival.range.count
            if isOver {
                deferInput(buffers.inbox.bytes[arrival.range], of: connection)
            } else if connection.unread.isEmpty {
                runOnReceived(connection, buffers.inbox.bytes, arrival.range, &buffers.outbox)
            } else {
                connection.unread.append(buffers.inbox.bytes[arrival.range])
                runOnUnread(connection, &buffers.outbox)
            }
            if connection.state != .answered { updateState(of: connection) }
            if buffers.outbox.isFull { sendBatch(&buffers.outbox) }
        }
        buffers.inbox.removeAll()
        sendBatch(&buffers.outbox)
    }

    /// Keeps received data for the connection's next turn.
    private func deferInput(_ input: ArraySlice<UInt8>, of connection: Connection) {
        connection.unread.append(input)
        connection.need = .room
    }

    /// Runs the session on the shared buffer, and keeps the bytes that it does not consume.
    private func runOnReceived(
        _ connection: Connection, _ input: borrowing [UInt8], _ range: Range<Int>, _ outbox: inout Outbox
    ) {
        let consumed = run(connection, input.span.extracting(range), &outbox)
        if consumed < range.count { connection.unread.append(input[range].dropFirst(consumed)) }
    }

    /// Runs the session on its remaining input.
    private func runOnUnread(_ connection: Connection, _ outbox: inout Outbox) {
        var unread = PendingBytes()
        swap(&unread, &connection.unread)
        unread.finish(run(connection, unread.bytes.span.extracting(unread.rest), &outbox))
        connection.unread = unread
    }

    /// Gives the session a turn; its output is sent now or with the batch.
    ///
    /// - Returns: The number of consumed bytes of the input.
    private func run(_ connection: Connection, _ input: Span<UInt8>, _ outbox: inout Outbox) -> Int {
        let start = outbox.output.count
        let isAtEnd = connection.input == .ended
        let progress = connection.session.proceed(input, isAtEnd: isAtEnd, &outbox.output, on: self)
        // A session can disconnect its own connection.
        if connection.state == .closed { return input.count }
        connection.need = progress.need
        if progress.consumed > 0, let message = connection.message.take() { deadlines.cancel(message) }
        // The usual case: the connection needs nothing else before its answers are sent.
        if progress.need != .close, outbox.keep(from: start, for: connection) { return progress.consumed }
        send(outbox.output.bytes.span.extracting(start..<outbox.output.count), on: connection)
        outbox.output.truncate(to: start)
        return connection.need == .close ? input.count : progress.consumed
    }

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
        if connection.state == .queued, events.isDisjoint(with: .gone) { return resume(connection, &buffers) }
        if !events.isEmpty { handle(events, of: connection, &buffers) }
        if isAwake { resume(connection, &buffers) }
    }

    /// Continues a session that was woken, that has input left, or whose connection drains.
    private func resume(_ connection: Connection, _ buffers: inout Buffers) {
        switch connection.state {
        // These come first, and then the session.
        case .received, .answered, .sending: connection.turn.isAwake = true
        case .reading where connection.mustReadAgain: receive(connection, &buffers)
        case .reading, .queued, .waiting:
            runOnUnread(connection, &buffers.outbox)
            if connection.state != .answered { updateState(of: connection) }
        case .lingering, .closed: break
        }
    }

    // MARK: - The next state

    /// Determines the next state of a connection after its session has run, or its output was sent.
    func updateState(of connection: Connection) {
        if connection.state == .lingering || connection.state == .closed { return }
        if connection.isIdle { return connection.state = .reading }
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
        case .reading where connection.isAmidMessage && connection.message == nil:
            replaceDeadline(&connection.message, .message(connection.id), after: inputLimits.message)
        default: break
        }
        if connection.turn.isAwake, connection.state != .sending { ready.add(connection) }
        watch(connection)
    }

    private func watch(_ connection: Connection) {
        // Most clients send nothing while they wait for an answer: this saves two system calls for each of them.
        if connection.state == .waiting, connection.interest == .readable, connection.input != .ended { return }
        setInterest(of: connection, to: connection.neededInterest)
    }

    func setInterest(of connection: Connection, to interest: Poller.Events) {
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

    /// Ends a connection because of a fault; the client gets the answer if the socket accepts it at once.
    func refuse(_ connection: Connection, _ fault: InputFault) {
        let answer = connection.session.refuse(fault, on: self)
        let isBehind = connection.hasUnsent
        connection.unread = PendingBytes()
        connection.need = .close
        if !isBehind { send(answer.span, on: connection) }
        if connection.hasUnsent { close(connection) } else { updateState(of: connection) }
    }
}
