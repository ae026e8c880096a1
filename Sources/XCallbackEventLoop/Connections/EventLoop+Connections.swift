import CLinux
import Glibc
import XCallbackBytes
import XCallbackLinux

extension EventLoop {
    /// How long a client may continue to send data that is discarded, after its connection is closed.
    private static let lingerLimit = Duration.seconds(2)
    /// How long a client that has just connected may take to send data when all connections close.
    private static let firstByteGrace = Duration.seconds(3)

    /// Continues a session that waits for an event.
    package func wake(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        wake(connection)
    }

    private func wake(_ connection: Connection) {
        connection.isAwake = true
        ready.add(connection)
    }

    /// Replaces the session of a connection.
    package func replaceSession(of id: ConnectionID, with session: any Session) {
        connections[id]?.session = session
    }

    /// Counts a connection toward another account from now on.
    package func move(_ id: ConnectionID, to account: Account) {
        guard let connection = connections[id], connection.account !== account else { return }
        connection.move(to: account)
    }

    /// The number of connections.
    package var connectionCount: Int { connections.count }

    /// The sessions of all connections.
    package var sessions: [any Session] { connections.all.map(\.session) }

    /// Stops accepting, answers all requests sent so far, and closes each connection when that is done.
    ///
    /// Clients that have connected are accepted first, because no other process would answer them; those of a socket that was
    /// passed to the process are left to its next owner. Data that a client sends from now on fails at once (EPIPE), so that
    /// the client knows what was not read; a client that has just connected may still send something.
    package func drain() {
        drainListeners()
        // A client in this process gets its answer first.
        for connection in connections.all where !connection.isOwnClient { drain(connection) }
    }

    /// Whether no client is connected or waits to be accepted, after ``drain()``.
    package var isDrained: Bool { connectionCount == 0 && listeners.isEmpty }

    /// Closes a connection when all requests sent so far are answered.
    func drain(_ connection: Connection) {
        connection.isClosing = true
        let grace = nanoseconds(Self.firstByteGrace) - (bootTime() - connection.acceptedTime)
        if connection.silence == nil || grace <= 0 {
            endInput(of: connection)
        } else if !connection.isLingering {
            // The end of the stream, or the data that it sends, ends the input.
            replaceDeadline(&connection.silence, .silence(connection.id), after: .nanoseconds(grace))
        }
    }

    /// Stops the input of a client, and closes the connection when everything before that is answered.
    func endInput(of connection: Connection) {
        guard case .no = connection.drain, !connection.isLingering else { return }
        connection.isClosing = true
        // After the shutdown, the two ends look the same; only an end set by the client completes its last line.
        connection.drain = .begun(isClientsEnd: isAtEnd(connection.number))
        _ = xcb_shutdown(connection.number, Int32(SHUT_RD))
        if connection.need == .input { wake(connection) }
    }

    /// Ends a connection that was silent for too long; data that has just arrived is answered.
    func endSilence(of connection: Connection) {
        connection.silence = nil
        if connection.isLingering { close(connection) } else { endInput(of: connection) }
    }

    /// Ends a connection whose client has not completed a message in time.
    func endMessage(of connection: Connection, _ buffers: inout Buffers) {
        connection.message = nil
        // The rest may have arrived, with its event queued behind many others.
        if connection.isAmidMessage, hasInput(connection.number) {
            receive(connection, &buffers)
            workOff(&buffers)
        }
        guard connections[connection.id] === connection, connection.isAmidMessage else { return }
        refuse(connection, .unfinished(messageLimit))
    }

    /// Ends a connection because of a fault; the client gets the answer if the socket accepts it at once.
    private func refuse(_ connection: Connection, _ fault: InputFault) {
        let answer = connection.session.refuse(fault, on: self)
        let isBehind = connection.hasUnsent
        connection.unread = []
        connection.consumedCount = 0
        connection.need = .close
        guard !isBehind, send(answer.span, on: connection), !connection.hasUnsent else { return close(connection) }
        settle(connection)
    }

    /// Handles the events of a connection.
    func handle(_ events: Poller.Events, of connection: Connection, _ buffers: inout Buffers) {
        if events.contains(.writable) {
            guard send(connection) else { return close(connection) }
            resume(connection, &buffers)
        } else if events.contains(.readable), connection.neededInterest == .readable {
            receive(connection, &buffers)
        } else if events.isDisjoint(with: .gone) {
            // Events are masked only when they occur, because that costs a system call.
            setInterest(of: connection, to: connection.neededInterest)
        } else {
            close(connection)
        }
    }

    /// Continues a session that was woken, that drains, or whose output is sent.
    func resume(_ connection: Connection, _ buffers: inout Buffers) {
        // Its pending output and input come first; the function is called again after that.
        if connection.hasUnsent || connection.hasArrival || connection.awaitsSending {
            connection.isAwake = true
            return
        }
        // A session that has ended is not called again.
        if connection.need == .close { return settle(connection) }
        if connection.isOwedRead {
            receive(connection, &buffers)
        } else {
            proceed(connection, &buffers)
        }
    }

    /// Reads once; the session processes the data together with the other sessions of the batch.
    private func receive(_ connection: Connection, _ buffers: inout Buffers) {
        if connection.isClosing {
            // A client that was just accepted may not have sent anything yet.
            if !connection.isWatched, !hasInput(connection.number) { return settle(connection) }
            endInput(of: connection)
        }
        if buffers.inbox.isFull { workOff(&buffers) }
        let count = buffers.inbox.receive(from: connection)
        if connection.takesDescriptors, !buffers.inbox.passed.isEmpty {
            closeBeside(buffers.inbox.takePassed(), for: connection.account)
            return refuse(connection, .descriptors)
        }
        if count < 0 {
            let code = errno
            if code != EAGAIN && code != EINTR { return close(connection) }
            return settle(connection)
        }
        connection.hasArrival = true
        if count == 0 { connection.endInput() }
        if let silence = connection.silence, !connection.isLingering {
            deadlines.cancel(silence)
            connection.silence = nil
        }
    }

    /// How long sessions work before the answers are sent and others get their turns, in nanoseconds.
    private static let workTime: Int64 = 500_000

    /// Runs the sessions on all received data, and sends their answers; work that takes too long is postponed.
    func workOff(_ buffers: inout Buffers) {
        let end = buffers.inbox.isLong ? monotonicTime() + Self.workTime : .max
        var (isOver, workedCount) = (false, 0)
        for index in buffers.inbox.arrivals.indices {
            let arrival = buffers.inbox.arrivals[index]
            guard let connection = connections[arrival.connection] else { continue }
            connection.hasArrival = false
            if connection.isLingering {
                if connection.isAtEnd { close(connection) }
                continue
            }
            if workedCount >= Inbox.shortWork {
                workedCount = 0
                isOver = isOver || monotonicTime() > end
            }
            workedCount += arrival.range.count
            if isOver {
                putOff(buffers.inbox.bytes[arrival.range], of: connection)
            } else if connection.unread.isEmpty {
                runOnReceived(connection, buffers.inbox.bytes, arrival.range, &buffers.outbox)
            } else {
                connection.unread.removeFirst(connection.consumedCount)
                connection.consumedCount = 0
                connection.unread.append(contentsOf: buffers.inbox.bytes[arrival.range])
                runOnUnread(connection, &buffers.outbox)
            }
            settle(connection)
            if buffers.outbox.isFull { empty(&buffers.outbox) }
        }
        buffers.inbox.removeAll()
        empty(&buffers.outbox)
    }

    /// Keeps received data for the connection's next turn.
    private func putOff(_ input: ArraySlice<UInt8>, of connection: Connection) {
        connection.unread.append(contentsOf: input)
        connection.need = .room
    }

    /// Runs the session on the shared buffer, and keeps the bytes that it does not consume.
    private func runOnReceived(
        _ connection: Connection, _ input: borrowing [UInt8], _ range: Range<Int>, _ outbox: inout Outbox
    ) {
        let consumed = run(connection, input.span.extracting(range), &outbox)
        if consumed < range.count { connection.unread.append(contentsOf: input[range].dropFirst(consumed)) }
    }

    /// Runs the session on its remaining input.
    func proceed(_ connection: Connection, _ buffers: inout Buffers) {
        if connection.isLingering { return settle(connection) }
        runOnUnread(connection, &buffers.outbox)
        settle(connection)
    }

    private func runOnUnread(_ connection: Connection, _ outbox: inout Outbox) {
        var unread: [UInt8] = []
        swap(&unread, &connection.unread)
        let start = connection.consumedCount
        connection.consumedCount = start + run(connection, unread.span.extracting(start..<unread.count), &outbox)
        if connection.consumedCount == unread.count { return connection.consumedCount = 0 }
        connection.unread = unread
    }

    /// Gives the session a turn; its output is sent now or soon.
    ///
    /// - Returns: The number of consumed bytes of the input.
    private func run(_ connection: Connection, _ input: Span<UInt8>, _ outbox: inout Outbox) -> Int {
        let start = outbox.output.count
        let progress = connection.session.proceed(input, isAtEnd: connection.isAtEnd, &outbox.output, on: self)
        connection.need = progress.need
        if progress.consumed > 0, let message = connection.message.take() { deadlines.cancel(message) }
        // The usual case: the connection needs nothing else before its answers are sent.
        if progress.need != .close, !connection.hasUnsent, outbox.keep(from: start, for: connection) {
            return progress.consumed
        }
        let isSent = send(outbox.output.bytes.span.extracting(start..<outbox.output.count), on: connection)
        outbox.output.truncate(to: start)
        if isSent { return progress.consumed }
        fail(connection)
        return input.count
    }

    /// Sends the answers kept for the end of the batch.
    ///
    /// The first answer wakes the client and the others find it awake, so that together they cost less.
    func empty(_ outbox: inout Outbox) {
        guard outbox.replies.count > 0 else { return }
        for index in outbox.replies.indices {
            let reply = outbox.replies[index]
            guard let connection = connections[reply.connection] else { continue }
            connection.awaitsSending = false
            if !send(outbox.output.bytes.span.extracting(reply.range), on: connection) { fail(connection) }
            settle(connection)
        }
        outbox.removeAll()
    }

    /// Ends a connection whose client is gone.
    private func fail(_ connection: Connection) {
        connection.need = .close
        connection.isAtEnd = true
    }

    /// Determines the next step of a connection after its session has run.
    private func settle(_ connection: Connection) {
        if connection.awaitsSending || connection.isIdle { return }
        do throws(Excess) {
            try connection.countBytes()
        } catch {
            return refuse(connection, .excess(error))
        }
        if connection.isOwedRead { return wake(connection) }
        if connection.message == nil, connection.isAmidMessage {
            replaceDeadline(&connection.message, .message(connection.id), after: messageLimit)
        }
        if connection.isAwake || connection.need == .room, !connection.hasUnsent { ready.add(connection) }
        if connection.need == .room, !connection.hasUnsent { return }
        let isDone = connection.need == .close || connection.need == .input && connection.isInputDone
        if isDone, !connection.hasUnsent {
            if connection.isAtEnd || connection.isClosing { return close(connection) }
            linger(connection)
        }
        watch(connection)
    }

    /// Ends the output but waits for the client, because closing at once could lose the last line.
    private func linger(_ connection: Connection) {
        guard !connection.isLingering else { return }
        connection.isLingering = true
        connection.unread = []
        _ = xcb_shutdown(connection.number, Int32(SHUT_WR))
        replaceDeadline(&connection.silence, .silence(connection.id), after: Self.lingerLimit)
    }

    private func watch(_ connection: Connection) {
        let interest = connection.neededInterest
        // Most clients send nothing while they wait for an answer: this saves two system calls for each of them.
        if connection.need == .event, connection.interest == .readable, !connection.hasUnsent, !connection.isAtEnd {
            return
        }
        setInterest(of: connection, to: interest)
    }

    private func setInterest(of connection: Connection, to interest: Poller.Events) {
        guard interest != connection.interest || !connection.isWatched else { return }
        let (number, id) = (connection.number, connection.id.rawValue)
        connection.interest = interest
        do {
            if connection.isWatched {
                try poller.modify(number, interest, as: id)
            } else {
                connection.isWatched = true
                try poller.add(number, interest, as: id)
            }
        } catch {
            close(connection)
        }
    }

    /// Sends bytes and keeps those that the socket does not accept; returns false if the client is gone.
    private func send(_ bytes: Span<UInt8>, on connection: Connection) -> Bool {
        if bytes.isEmpty { return true }
        let count = sendOnce(bytes, to: connection.number)
        guard count >= 0 else { return false }
        if count < bytes.count {
            connection.unsent = bytes.extracting(count..<bytes.count).withUnsafeBufferPointer { Array($0) }
            connection.sentCount = 0
        }
        return true
    }

    /// Sends more of the kept bytes; returns false if the client is gone.
    private func send(_ connection: Connection) -> Bool {
        let unsent = connection.unsent
        let rest = unsent.span.extracting(connection.sentCount..<unsent.count)
        let count = sendOnce(rest, to: connection.number)
        guard count >= 0 else { return false }
        connection.sentCount += count
        if connection.sentCount == connection.unsent.count {
            connection.unsent = []
            connection.sentCount = 0
        }
        return true
    }

    /// Closes a connection and notifies its session.
    func close(_ connection: Connection) {
        guard connections[connection.id] === connection else { return }
        if let silence = connection.silence { deadlines.cancel(silence) }
        if let message = connection.message { deadlines.cancel(message) }
        connection.account.give(.bytes, connection.heldCount)
        connections.remove(connection.id)
        // The last reference to the connection closes the descriptor and so removes it from the epoll set.
        unwatch(connection.number)
        // Unread data can contain descriptors.
        if connection.takesDescriptors, !connection.isAtEnd, let descriptor = connection.takeDescriptor() {
            closeBeside([descriptor.release()], for: connection.account)
        }
        connection.session.closed(on: self)
        resumeAccepting()
    }
}

/// Whether the client has closed its sending side; there may still be data to read.
private func isAtEnd(_ descriptor: Int32) -> Bool {
    let isHungUp = Int16(EPOLLRDHUP.rawValue)
    var member = pollfd(fd: descriptor, events: isHungUp, revents: 0)
    return xcb_poll(&member, 1, 0) > 0 && member.revents & isHungUp != 0
}

/// Whether the client has sent data or closed its sending side.
private func hasInput(_ descriptor: Int32) -> Bool {
    var member = pollfd(fd: descriptor, events: Int16(EPOLLIN.rawValue | EPOLLRDHUP.rawValue), revents: 0)
    return xcb_poll(&member, 1, 0) > 0
}

/// Sends once; returns 0 if the socket accepts no data now, -1 if the client is gone.
private func sendOnce(_ bytes: Span<UInt8>, to descriptor: Int32) -> Int {
    bytes.withUnsafeBytes { buffer in
        while true {
            let count = xcb_send(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            let code = errno
            if code == EAGAIN { return 0 }
            if code != EINTR { return -1 }
        }
    }
}
