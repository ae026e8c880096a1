import CLinux
import Glibc
package import XCallbackLinux

extension EventLoop {
    /// Serves a connection that another process has accepted.
    ///
    /// - Parameter number: The descriptor, which must have no other user.
    /// - Throws: ``SystemError`` if the connection cannot be served.
    package func serve(connection number: Int32) throws(SystemError) {
        let descriptor = Descriptor(number)
        let flags = try SystemError.check("fcntl") { fcntl(number, F_GETFL) }
        _ = try SystemError.check("fcntl") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
        add(descriptor)
        if connectionCount == 0 { stop() }
    }

    /// Connects a session of this process to the service, like a client program.
    ///
    /// - Parameter make: Creates the session; called first, so that it can send something.
    /// - Throws: ``SystemError`` if the system is out of descriptors.
    package func connect(_ make: (ConnectionID) -> any Session) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        _ = try SystemError.check("socketpair") { socketpair(AF_UNIX, kind, 0, &ends) }
        let own = Descriptor(ends[1])
        add(Descriptor(ends[0]))
        try addOwnClient(own) { id throws(SystemError) in make(id) }
    }

    /// Adds a connection whose client is a session of this process.
    private func addOwnClient(
        _ descriptor: consuming Descriptor, _ make: (ConnectionID) throws(SystemError) -> any Session
    ) throws(SystemError) {
        let id = connections.takeID()
        let session: any Session
        do throws(SystemError) {
            session = try make(id)
        } catch {
            connections.remove(id)
            throw error
        }
        let connection = Connection(id, descriptor, to: .server, session)
        connections.add(connection)
        do {
            try poller.add(connection.number, .readable, as: id.rawValue)
            connection.interest = .readable
        } catch {
            close(connection)
            throw error
        }
        wake(id)
    }

    /// Connects a session of this process to another process.
    ///
    /// - Parameters:
    ///   - path: The path of the listening socket.
    ///   - make: Creates the session; called first, so that it can send something.
    /// - Throws: ``SystemError`` from the session, or if no process listens there, or if too many clients wait.
    package func connect(
        to path: String, _ make: (ConnectionID, Credentials) throws(SystemError) -> any Session
    ) throws(SystemError) {
        var address = sockaddr_un()
        guard address.set(path) else { throw SystemError("connect", code: ENAMETOOLONG) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Descriptor(try SystemError.check("socket") { socket(AF_UNIX, kind, 0) })
        let number = descriptor.number
        // On a Unix socket the call succeeds or fails at once.
        _ = try SystemError.check("connect") { address.withPointer { Glibc.connect(number, $0, $1) } }
        var peer = xcb_peer()
        _ = try SystemError.check("getsockopt SO_PEERCRED") { xcb_peer_read(number, &peer) }
        try addOwnClient(descriptor) { id throws(SystemError) in
            try make(id, Credentials(userID: peer.uid, groupID: peer.gid, processID: peer.pid))
        }
    }

    /// The number of connections.
    package var connectionCount: Int { connections.count }

    /// The sessions of all connections.
    package var sessions: [any Session] { connections.all.map(\.session) }

    /// Replaces the session of a connection.
    package func replaceSession(of id: ConnectionID, with session: any Session) {
        connections[id]?.session = session
    }

    /// Counts a connection toward another account from now on.
    package func move(_ id: ConnectionID, to account: Account) {
        guard let connection = connections[id], connection.account !== account else { return }
        connection.move(to: account)
    }

    /// Closes a connection at once, in any state of its session.
    package func disconnect(_ id: ConnectionID) {
        if let connection = connections[id] { close(connection) }
    }
}

/// Whether a process listens on the socket at a path and this process may connect; the listener does not notice the check.
package func isServed(_ path: String) -> Bool {
    var address = sockaddr_un()
    guard address.set(path) else { return false }
    // If no process listens, the kernel refuses the connection; otherwise it reports the wrong socket type.
    let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return false }
    let descriptor = Descriptor(number)
    return address.withPointer { connect(descriptor.number, $0, $1) } < 0 && errno == EPROTOTYPE
}
