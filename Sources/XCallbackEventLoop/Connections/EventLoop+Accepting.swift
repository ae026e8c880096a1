import CLinux
import Glibc
package import XCallbackLinux

/// The listening sockets of a loop, and whether it accepts connections.
struct Acceptor {
    var listeners: [Listener] = []
    /// Whether accepting pauses because the system is out of descriptors or memory.
    var isPaused = false
    /// Whether clients may wait at a socket that was closed.
    var hasGivenUp = false
}

extension EventLoop {
    /// How long accepting pauses when the system is out of descriptors or memory.
    private static let pause = Duration.milliseconds(100)
    /// The number of failed attempts, without connections, before a socket that is closing is closed anyway.
    ///
    /// The system does not report whether clients wait there.
    private static let lastAttempts = 10
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
        for connection in connections.all where connection.kind != .server { drain(connection) }
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
                pauseAccepting(SystemError("accept", code: code), on: listener)
                return false
            }
        }
        return true
    }

    /// Whether clients may have connected since ``drain()`` that could not be accepted.
    package var mayHaveUnaccepted: Bool { acceptor.hasGivenUp || acceptor.listeners.contains(where: \.isEnding) }

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

    private func pauseAccepting(_ error: SystemError, on listener: Listener) {
        service?.acceptFailed(error, on: self)
        if listener.isEnding, connectionCount == 0 {
            listener.lastFailureCount += 1
            if listener.lastFailureCount == Self.lastAttempts {
                acceptor.hasGivenUp = true
                return endListening(on: listener)
            }
        }
        if acceptor.isPaused { return }
        acceptor.isPaused = true
        watchListeners([])
        _ = deadlines.add(.accepting, at: time + nanoseconds(Self.pause))
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

    /// Adds a connection to the service, from another process or from a session of this process.
    ///
    /// - Parameters:
    ///   - descriptor: The connection.
    ///   - listener: The listener that accepted it; nil for other connections.
    func add(_ descriptor: consuming Descriptor, over listener: Listener? = nil) {
        var peer = xcb_peer()
        guard xcb_peer_read(descriptor.number, &peer) == 0 else { return }
        let credentials = Credentials(userID: peer.uid, groupID: peer.gid, processID: peer.pid)
        let id = connections.takeID()
        let (kind, takesDescriptors) = (listener?.accountClass ?? .socket, listener?.refusesDescriptors == false)
        guard let session = service?.open(id, from: credentials, as: kind, on: self) else {
            if takesDescriptors { closeBeside([descriptor.release()], for: account(of: peer.uid, kind)) }
            return connections.remove(id)
        }
        let connection = Connection(id, descriptor, to: takesDescriptors ? .clientWithDescriptors : .client, session)
        connections.add(connection)
        connection.silence = deadlines.add(.silence(id), at: time + nanoseconds(inputLimits.firstByte))
        // Most clients have sent data by now, so the loop reads before it waits for events.
        connection.turn.events = .readable
        ready.add(connection)
        if listener?.isEnding == true { drain(connection) }
    }
}
