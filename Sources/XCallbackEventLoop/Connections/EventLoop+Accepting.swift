import CLinux
import Glibc
package import XCallbackLinux

/// The listening sockets of a loop, and whether it accepts connections.
struct Acceptor {
    var listeners: [Listener] = []
    /// Whether accepting pauses because the system is out of descriptors or memory.
    var isPaused = false
}

extension EventLoop {
    /// How long accepting pauses when the system is out of descriptors or memory.
    private static let pause = Duration.milliseconds(100)
    /// The maximum number of connections accepted before other events are handled.
    private static let acceptLimit = 128

    /// Accepts connections from a socket.
    ///
    /// - Throws: ``SystemError`` if the system is out of memory.
    package func listen(on listener: sending Listener) throws(SystemError) {
        let events: Poller.Events = acceptor.isPaused ? [] : .readable
        try poller.add(listener.descriptor.number, events, as: listener.member.rawValue)
        acceptor.listeners.append(listener)
    }

    /// Stops accepting, answers all requests sent so far, and closes each connection when that is done.
    ///
    /// Clients that have connected are accepted first, because no other process would answer them; those of a socket that was
    /// passed to the process are left to its next owner. Data that a client sends from now on fails at once (EPIPE), so that
    /// the client knows what was not read; a client that has just connected may still send something.
    package func drain() {
        drainListeners()
        // A session that is a client gets its answer first.
        for connection in connections.all where !connection.remote.isServer { drain(connection) }
    }

    /// Whether no client is connected or waits to be accepted, after ``drain()``.
    package var isDrained: Bool { connectionCount == 0 && acceptor.listeners.isEmpty }

    /// Stops new connections, and accepts those that exist if the socket belongs to the process; if the system is out
    /// of resources, the rest is accepted later.
    private func drainListeners() {
        for listener in acceptor.listeners {
            if listener.endConnecting() { while acceptConnections(from: listener) {} } else { remove(listener) }
        }
    }

    /// Accepts the waiting connections of the listener with a number in the epoll set.
    func acceptConnections(from member: Member) {
        // An earlier event may have closed it.
        if let listener = acceptor.listeners.first(where: { $0.member == member }) { acceptConnections(from: listener) }
    }

    /// Accepts waiting connections.
    ///
    /// - Returns: Whether there may be more.
    @discardableResult
    private func acceptConnections(from listener: Listener) -> Bool {
        for _ in 0..<Self.acceptLimit {
            let descriptor = xcb_accept(listener.descriptor.number)
            let code = errno
            if descriptor >= 0 {
                add(Descriptor(descriptor), over: listener)
                continue
            }
            switch code {
            case EAGAIN:
                if listener.isEnding { endListening(on: listener) }
                return false
            // The client has disconnected, or a signal interrupted the call: the next connection may work.
            case ECONNABORTED, EINTR, EPERM: continue
            default:
                pauseAccepting(SystemError("accept", code: code))
                return false
            }
        }
        return true
    }

    /// Whether clients may have connected since ``drain()`` that could not be accepted.
    package var mayHaveUnaccepted: Bool { acceptor.listeners.contains(where: \.isEnding) }

    /// Closes the socket, because no more connections are accepted from it.
    private func endListening(on listener: Listener) {
        remove(listener)
        service?.backlogEnded(on: self)
    }

    /// Accepts again after a pause, if there is one.
    func resumeAccepting() {
        guard acceptor.isPaused else { return }
        acceptor.isPaused = false
        watchListeners(.readable)
    }

    private func pauseAccepting(_ error: SystemError) {
        service?.acceptFailed(error, on: self)
        if acceptor.isPaused { return }
        acceptor.isPaused = true
        watchListeners([])
        _ = call(after: Self.pause) { [self] in
            assumeIsolated { $0.resumeAccepting() }
        }
    }

    private func watchListeners(_ events: Poller.Events) {
        for listener in acceptor.listeners {
            do {
                try poller.modify(listener.descriptor.number, events, as: listener.member.rawValue)
            } catch {
                service?.acceptFailed(error, on: self)
            }
        }
    }

    private func remove(_ listener: Listener) {
        acceptor.listeners.removeAll { $0 === listener }
    }

    /// Adds a connection to the service.
    ///
    /// - Parameters:
    ///   - descriptor: The connection.
    ///   - listener: The listener that accepted it; nil for other connections.
    func add(_ descriptor: consuming Descriptor, over listener: Listener? = nil) {
        var peer = xcb_peer()
        guard xcb_peer_read(descriptor.number, &peer) == 0 else { return }
        let id = connections.takeID()
        let (kind, passesDescriptors) = (listener?.accountClass ?? .socket, listener?.refusesDescriptors == false)
        guard let session = service?.open(id, from: Credentials(peer), as: kind, on: self) else {
            if passesDescriptors { closeBeside([descriptor.release()], for: account(of: peer.uid, kind)) }
            return connections.remove(id)
        }
        let connection = Connection(
            id, descriptor, to: Connection.Remote(passesDescriptors: passesDescriptors), session)
        connections.add(connection)
        setDeadline(of: connection, after: inputLimits.firstByte)
        // Most clients have sent data by now, so the loop reads before it waits for events.
        connection.turn.events = .readable
        ready.add(connection)
        if listener?.isEnding == true { drain(connection) }
    }

    // MARK: - Other connections

    /// Serves a connection that another process has accepted.
    ///
    /// - Parameter number: The descriptor, which must have no other user.
    /// - Throws: ``SystemError`` if the connection cannot be served.
    package func serve(connection number: Int32) throws(SystemError) {
        let descriptor = Descriptor(number)
        try descriptor.makeNonblocking()
        add(descriptor)
        if connectionCount == 0 { stop() }
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
        guard let address = SocketAddress(path) else { throw SystemError("connect", code: ENAMETOOLONG) }
        let descriptor = try address.connect()
        let number = descriptor.number
        var peer = xcb_peer()
        _ = try SystemError.check("getsockopt SO_PEERCRED") { xcb_peer_read(number, &peer) }
        let id = connections.takeID()
        let session: any Session
        do throws(SystemError) {
            session = try make(id, Credentials(peer))
            // Before there is a connection: the session is not notified of the end of one that it never had.
            try poller.add(number, .readable, as: id.rawValue)
        } catch {
            connections.remove(id)
            throw error
        }
        let connection = Connection(id, descriptor, to: Connection.Remote(isServer: true), session)
        connection.interest = .readable
        connections.add(connection)
        wake(id)
    }

    /// The number of connections.
    package var connectionCount: Int { connections.count }

    /// The sessions of all connections.
    package var sessions: [any Session] { connections.all.map(\.session) }

    /// Returns the session of a connection, by the number of its ``ConnectionID``; nil if it is closed.
    package func session(of connection: UInt64) -> (any Session)? {
        connections[ConnectionID(rawValue: connection)]?.session
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
}

/// Whether a process listens on the socket at a path and this process may connect; the listener does not notice the check.
package func isServed(_ path: String) -> Bool {
    guard let address = SocketAddress(path) else { return false }
    // If no process listens, the kernel refuses the connection; otherwise it reports the wrong socket type.
    let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return false }
    let descriptor = Descriptor(number)
    return address.withPointer { connect(descriptor.number, $0, $1) } < 0 && errno == EPROTOTYPE
}
