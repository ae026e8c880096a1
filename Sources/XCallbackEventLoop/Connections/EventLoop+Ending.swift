import CLinux
import Glibc

extension EventLoop {
    /// Ends the input of all sessions right before the loop ends, and returns the unfinished ones.
    ///
    /// Data that clients send from now on fails at once (EPIPE); otherwise it would be lost silently.
    ///
    /// - Returns: The sessions that wait for something, have unsent output, or have unprocessed input, and whether they have
    ///   unprocessed input.
    package func endSessions() -> [(session: any Session, hasInput: Bool)] {
        connections.all.compactMap { connection in
            if !connection.isOwnClient { _ = xcb_shutdown(connection.number, Int32(SHUT_RD)) }
            let hasInput = isAsked(connection)
            let isUnfinished = connection.need == .room || connection.need == .event || connection.hasUnsent
            return hasInput || isUnfinished ? (connection.session, hasInput) : nil
        }
    }

    /// Whether a client has sent data that its session has not processed.
    private func isAsked(_ connection: Connection) -> Bool {
        if connection.need != .input, !connection.unread.isEmpty { return true }
        if connection.isLingering || connection.isOwnClient { return false }
        var byte: UInt8 = 0
        guard xcb_receive(connection.number, &byte, 1) > 0 else { return false }
        connection.unread.append(byte)
        return true
    }

    /// Closes a connection, unless its client has sent data that its session has not processed.
    package func closeUnlessAsked(_ id: ConnectionID) {
        if let connection = connections[id], !isAsked(connection) { close(connection) }
    }
}
