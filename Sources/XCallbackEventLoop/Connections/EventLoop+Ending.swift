import CLinux
import Glibc

extension EventLoop {
    /// Ends the input of all sessions, right before the loop ends, and tells what that leaves unfinished.
    ///
    /// What clients send from now on fails at once (EPIPE): it would be lost without anybody's knowing.
    ///
    /// - Returns: The sessions that have something to wait for, output that was not sent, or input that they have not come
    ///   to, and whether they have the last.
    package func endSessions() -> [(session: any Session, hasInput: Bool)] {
        connections.all.compactMap { connection in
            if !connection.isOwnClient { _ = xcb_shutdown(connection.number, Int32(SHUT_RD)) }
            let hasInput = isAsked(connection)
            let isUnfinished = connection.need == .room || connection.need == .event || connection.hasUnsent
            return hasInput || isUnfinished ? (connection.session, hasInput) : nil
        }
    }

    /// Whether a client has sent something that its session has not come to.
    private func isAsked(_ connection: Connection) -> Bool {
        if connection.need != .input, !connection.unread.isEmpty { return true }
        if connection.isLingering || connection.isOwnClient { return false }
        var byte: UInt8 = 0
        guard xcb_receive(connection.number, &byte, 1) > 0 else { return false }
        connection.unread.append(byte)
        return true
    }

    /// Closes a connection, unless its client has sent something that its session has not come to.
    package func closeUnlessAsked(_ id: ConnectionID) {
        if let connection = connections[id], !isAsked(connection) { close(connection) }
    }
}
