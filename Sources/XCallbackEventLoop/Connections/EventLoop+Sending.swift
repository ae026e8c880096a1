import CLinux
import Glibc
import XCallbackBytes
import XCallbackLinux

// Sending, and the end of a connection.
extension EventLoop {
    /// How long a client may continue to send data that is discarded, after its connection is closed.
    private static let lingerLimit = Duration.seconds(2)

    /// Sends the answers kept for the end of the batch.
    ///
    /// The first answer wakes the client and the others find it awake, so that together they cost less.
    func sendBatch(_ outbox: inout Outbox) {
        guard outbox.replies.count > 0 else { return }
        for index in outbox.replies.indices {
            let reply = outbox.replies[index]
            guard let connection = connections[reply.connection] else { continue }
            send(outbox.output.bytes.span.extracting(reply.range), on: connection)
            updateState(of: connection)
        }
        outbox.removeAll()
    }

    /// Sends bytes and keeps those that the socket does not accept.
    func send(_ bytes: Span<UInt8>, on connection: Connection) {
        if bytes.isEmpty { return }
        guard let count = sendOnce(bytes, to: connection.number) else { return endSession(of: connection) }
        guard count < bytes.count else { return }
        connection.unsent = PendingBytes(bytes.extracting(count..<bytes.count))
    }

    /// Sends more of the kept bytes.
    func sendRest(of connection: Connection) {
        let unsent = connection.unsent
        guard let count = sendOnce(unsent.bytes.span.extracting(unsent.rest), to: connection.number) else {
            return close(connection)
        }
        connection.unsent.finish(count)
        if !connection.hasUnsent { updateState(of: connection) }
    }

    /// Ends a session whose client is gone.
    private func endSession(of connection: Connection) {
        connection.need = .close
        connection.input = .ended
    }

    /// Ends the output but waits for the client, because closing at once could lose the last line.
    func linger(_ connection: Connection) {
        connection.unread = PendingBytes()
        _ = xcb_shutdown(connection.number, Int32(SHUT_WR))
        replaceDeadline(&connection.silence, .silence(connection.id), after: Self.lingerLimit)
    }

    /// Closes a connection and notifies its session.
    func close(_ connection: Connection) {
        guard connections[connection.id] === connection else { return }
        connection.state = .closed
        replaceDeadline(&connection.silence, .silence(connection.id), after: nil)
        replaceDeadline(&connection.message, .message(connection.id), after: nil)
        connection.account.give(.bytes, connection.heldCount)
        connections.remove(connection.id)
        // The last reference to the connection closes the descriptor and so removes it from the epoll set.
        unwatch(connection.number)
        // Unread data can contain descriptors.
        if connection.takesDescriptors, connection.input != .ended, let descriptor = connection.takeDescriptor() {
            closeBeside([descriptor.release()], for: connection.account)
        }
        connection.session.closed(on: self)
        resumeAccepting()
    }
}

/// Sends once; returns 0 if the socket accepts no data now, nil if the client is gone.
private func sendOnce(_ bytes: Span<UInt8>, to descriptor: Int32) -> Int? {
    bytes.withUnsafeBytes { buffer in
        while true {
            let count = xcb_send(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            let code = errno
            if code == EAGAIN { return 0 }
            if code != EINTR { return nil }
        }
    }
}
