package import XCallbackEventLoop

/// What lets clients connect again once the file of the socket is gone, or another one is in its place.
package enum SocketRemedy: Hashable, Sendable {
    /// The daemon binds the socket itself when it starts.
    case restart
    /// A command restarts the socket unit, which removes what is at the path, and the daemon with it.
    case unit(String)
    /// Whatever passes the socket must bind it again.
    case rebind

    /// What to do, as the rest of a sentence.
    package func advice(for place: SocketPlace) -> String {
        switch (self, place) {
        case (.unit(let command), _): "run '\(command)'"
        // The daemon replaces no file that may be in use.
        case (.restart, .taken): "remove the file and restart xcallbackd"
        case (.restart, _): "restart xcallbackd"
        case (.rebind, _): "restart the process that passes the socket, and xcallbackd"
        }
    }

    /// Why clients cannot connect, and what to do; nil if they can.
    package func loss(of socket: String, at place: SocketPlace) -> String? {
        switch place {
        case .present: nil
        case .gone: "Clients cannot connect: \(socket) is gone (\(advice(for: place)))"
        case .taken: "Clients cannot connect: another file is at \(socket) (\(advice(for: place)))"
        }
    }
}
