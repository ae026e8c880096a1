package import XCallbackEventLoop

/// The action that lets clients connect again when the socket file is gone or replaced by another file.
package enum SocketRemedy: Hashable, Sendable {
    /// Restart the daemon, which binds the socket when it starts.
    case restart
    /// Restart the socket unit, which removes the file at the path and restarts the daemon.
    case unit(String)
    /// Bind the socket again in the process that passes it.
    case rebind

    /// Returns the advice, as the rest of a sentence.
    package func advice(for place: SocketPlace) -> String {
        switch (self, place) {
        case (.unit(let command), _): "run '\(command)'"
        // The daemon does not replace a file that may be in use.
        case (.restart, .taken): "remove the file and restart xcallbackd"
        case (.restart, _): "restart xcallbackd"
        case (.rebind, _): "restart the process that passes the socket, and xcallbackd"
        }
    }

    /// Returns why clients cannot connect, and the advice; nil if they can.
    package func loss(of socket: String, at place: SocketPlace) -> String? {
        switch place {
        case .present: nil
        case .gone: "Clients cannot connect: \(socket) is gone (\(advice(for: place)))"
        case .taken: "Clients cannot connect: another file is at \(socket) (\(advice(for: place)))"
        }
    }
}
