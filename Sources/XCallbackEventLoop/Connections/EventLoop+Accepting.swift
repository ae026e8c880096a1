import CLinux
import Glibc
package import XCallbackLinux

extension EventLoop {
    /// How long accepting rests when the system is out of descriptors or memory.
    private static let pause = Duration.milliseconds(100)
    /// How often accepting fails, while nobody is connected, until a socket that is to go does.
    ///
    /// The system does not tell whether somebody waits there.
    private static let lastAttempts = 10
    /// How many connections are accepted before other events have their turn.
    private static let acceptLimit = 128

    /// Accepts connections from a socket.
    ///
    /// - Throws: ``SystemError`` if the system is out of memory.
    package func listen(on listener: sending Listener) throws(SystemError) {
        let events: Poller.Events = acceptingHolds.isEmpty ? .readable : []
        try poller.add(listener.descriptor.number, events, as: listener.member.rawValue)
        listeners.append(listener)
    }

    /// Lets nobody connect any more, and accepts who has, where the socket is the process's own; if the system is out of
    /// something, the rest waits until it is not.
    func drainListeners() {
        for listener in listeners {
            if listener.endConnecting() { while acceptConnections(from: listener) {} } else { remove(listener) }
        }
    }

    /// Accepts what waits at the socket that is a member of the epoll set.
    func acceptConnections(from member: Member) {
        // Another event may have been its end.
        if let listener = listeners.first(where: { $0.member == member }) { acceptConnections(from: listener) }
    }

    /// Accepts what waits.
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
            // The client has gone again, or a signal came in between: the next one may be fine.
            case ECONNABORTED, EINTR, EPERM: continue
            default:
                pauseAccepting(SystemError("accept", code: code), on: listener)
                return false
            }
        }
        return true
    }

    /// Whether somebody may have connected who could not be accepted, since ``drain()``.
    package var mayHaveUnaccepted: Bool { hasGivenUpAccepting || listeners.contains(where: \.isEnding) }

    /// Lets the socket go, as nobody is accepted from it any more.
    private func endListening(on listener: Listener) {
        remove(listener)
        service?.backlogEnded(on: self)
    }

    /// Lets clients wait until ``resumeAccepting(for:)`` was called for each reason.
    package func holdAccepting(for reason: AcceptingHold) {
        acceptingHolds.insert(reason)
        watchListeners([])
    }

    /// Accepts again, unless there is another reason not to; does nothing if there is none.
    package func resumeAccepting(for reason: AcceptingHold) {
        guard acceptingHolds.remove(reason) != nil, acceptingHolds.isEmpty else { return }
        watchListeners(.readable)
    }

    private func pauseAccepting(_ error: SystemError, on listener: Listener) {
        service?.acceptFailed(error, on: self)
        if listener.isEnding, connectionCount == 0 {
            listener.lastFailureCount += 1
            if listener.lastFailureCount == Self.lastAttempts {
                hasGivenUpAccepting = true
                return endListening(on: listener)
            }
        }
        if acceptingHolds.contains(.failure) { return }
        holdAccepting(for: .failure)
        _ = deadlines.add(.accepting, at: time + nanoseconds(Self.pause))
    }

    private func watchListeners(_ events: Poller.Events) {
        for listener in listeners {
            do {
                try poller.modify(listener.descriptor.number, events, as: listener.member.rawValue)
            } catch {
                service?.acceptFailed(error, on: self)
            }
        }
    }

    private func remove(_ listener: Listener) {
        listeners.removeAll { $0 === listener }
    }

    /// Connects a session of this process to the service, as if a program had connected.
    ///
    /// - Parameter make: Makes the session; it is asked first, so that it can send something.
    /// - Throws: ``SystemError`` if the system is out of descriptors.
    package func connect(_ make: (ConnectionID) -> any Session) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        _ = try SystemError.check("socketpair") { socketpair(AF_UNIX, kind, 0, &ends) }
        let own = Descriptor(ends[1])
        add(Descriptor(ends[0]))
        try addOwnClient(own) { id throws(SystemError) in make(id) }
    }

    /// Takes a connection on which a session of this process is the client.
    func addOwnClient(
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
        let connection = Connection(id, descriptor, session)
        connection.isOwnClient = true
        connections.add(connection)
        do {
            try poller.add(connection.number, .readable, as: id.rawValue)
            (connection.isWatched, connection.interest) = (true, .readable)
        } catch {
            close(connection)
            throw error
        }
        wake(id)
    }

    /// Takes a connection on which somebody else is the client, or a session of this process.
    ///
    /// - Parameters:
    ///   - descriptor: The connection.
    ///   - listener: Where it was accepted; nil for one that comes from nowhere.
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
        let connection = Connection(id, descriptor, session)
        connection.takesDescriptors = takesDescriptors
        connections.add(connection)
        connection.silence = deadlines.add(.silence(id), at: time + nanoseconds(silenceLimit))
        // Most clients have sent something by now: it is read first, and events are waited for afterwards.
        connection.events = .readable
        ready.add(connection)
        if listener?.isEnding == true { drain(connection) }
    }
}
