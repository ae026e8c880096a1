import CLinux
import Glibc
import XCallbackLinux
import XCallbackWire

// The end of the input of connections, and time limits.
extension EventLoop {
    /// How long a client that has just connected may take to send data when all connections close.
    private static let firstByteGrace = Duration.seconds(3)
    /// How long passed descriptors wait for another attempt to close them.
    private static let closingPause = Duration.seconds(1)

    /// Closes a connection when all requests sent so far are answered.
    func drain(_ connection: Connection) {
        if connection.state == .lingering { return }
        let grace = Self.firstByteGrace.wholeNanoseconds - (bootTime() - connection.remote.acceptedTime)
        if !connection.isSilent || grace <= 0 { return endInput(of: connection) }
        // The end of the stream, or the data that it sends, ends the input.
        connection.input = .closing
        setDeadline(of: connection, after: .nanoseconds(grace))
    }

    /// Stops the input of a client, and closes the connection when everything before that is answered.
    func endInput(of connection: Connection) {
        guard connection.input == .open || connection.isSilent, connection.state != .lingering else { return }
        setDeadline(of: connection, after: nil)
        // After the shutdown, the two ends look the same; only an end set by the client completes its last line.
        connection.input = isAtEnd(connection.number) ? .completing : .draining
        _ = xcb_shutdown(connection.number, Int32(SHUT_RD))
        if connection.mustReadAgain { wake(connection) }
    }

    /// Handles the deadline of a connection.
    func deadlinePassed(of connection: Connection, _ buffers: inout Buffers) {
        connection.deadline = nil
        if connection.state == .lingering {
            close(connection)
        } else if connection.isSilent {
            // Data that has just arrived is answered.
            endInput(of: connection)
        } else if connection.isAmidMessage {
            // The rest may have arrived, with its event queued behind many others.
            if hasInput(connection.number) {
                receive(connection, &buffers.input, &buffers.outbox)
                sendAnswers(&buffers.outbox)
            }
            if connection.isAmidMessage { refuse(connection, .unfinished(inputLimits.message)) }
        }
    }

    /// Ends the input of all sessions right before the loop ends, and returns the unfinished ones.
    ///
    /// Data that clients send from now on fails at once (EPIPE); otherwise it would be lost silently.
    ///
    /// - Returns: The sessions that wait for something, have unsent output, or have unprocessed input, and whether they have
    ///   unprocessed input.
    package func endSessions() -> [(session: any Session, hasInput: Bool)] {
        connections.all.compactMap { connection in
            if !connection.remote.isServer { _ = xcb_shutdown(connection.number, Int32(SHUT_RD)) }
            let hasInput = isAsked(connection)
            let isUnfinished = connection.need == .turn || connection.need == .event || connection.hasUnsent
            return hasInput || isUnfinished ? (connection.session, hasInput) : nil
        }
    }

    /// Whether a client has sent data that its session has not processed.
    private func isAsked(_ connection: Connection) -> Bool {
        if connection.need != .input, !connection.unread.isEmpty { return true }
        if connection.state == .lingering || connection.remote.isServer { return false }
        var byte: UInt8 = 0
        guard uninterrupted({ xcb_receive(connection.number, &byte, 1) }) > 0 else { return false }
        connection.unread.append([byte])
        return true
    }

    /// Closes a connection, unless its client has sent data that its session has not processed.
    package func closeUnlessAsked(_ id: ConnectionID) {
        if let connection = connections[id], !isAsked(connection) { close(connection) }
    }

    // MARK: - Passed descriptors

    /// Closes descriptors outside the loop.
    ///
    /// A client can pass descriptors over a Unix socket. If the daemon has the last descriptor of a file, closing it can block
    /// for as long as the client wants: for example a TCP socket with `SO_LINGER`, or a file of a FUSE file system.
    ///
    /// - Parameters:
    ///   - numbers: The descriptors, or the connections that contain some.
    ///   - account: The account of the client; until they are closed they count as its connections.
    func closeBeside(_ numbers: [Int32], for account: Account) {
        account.hold(.connections, numbers.count)
        closeHeld(numbers, for: account)
    }

    /// Closes descriptors that their account holds; without a thread, tries again later.
    private func closeHeld(_ numbers: [Int32], for account: Account) {
        // Used on the loop only, where it lives.
        nonisolated(unsafe) let account = account
        Task.immediate(executorPreference: executor) {
            do throws(SystemError) {
                try await account.closer.run { for number in numbers { _ = xcb_close(number) } }
                account.give(.connections, numbers.count)
            } catch {
                _ = call(after: Self.closingPause) { [self] in
                    assumeIsolated { $0.closeHeld(numbers, for: account) }
                }
            }
        }
    }
}

/// Whether the client has closed its sending side; there may still be data to read.
private func isAtEnd(_ descriptor: Int32) -> Bool {
    let isHungUp = Int16(EPOLLRDHUP.rawValue)
    var member = pollfd(fd: descriptor, events: isHungUp, revents: 0)
    return xcb_poll(&member, 1, 0) > 0 && member.revents & isHungUp != 0
}
