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
    package func listen(on listener: consuming sending Listener) throws(SystemError) {
        try poller.add(listener.descriptor.number, .readable, as: Member.listener.rawValue)
        takesDescriptors = !listener.refusesDescriptors
        self.listener = consume listener
    }

    /// Accepts all that waits, on a socket that nobody can connect to any more; if the system is out of something, the rest
    /// waits until it is not.
    func acceptBacklog() {
        while acceptConnections() {}
    }

    /// Accepts what waits.
    ///
    /// - Returns: Whether there may be more.
    @discardableResult
    func acceptConnections() -> Bool {
        guard let number = listener?.descriptor.number else { return false }
        for _ in 0..<Self.acceptLimit {
            let descriptor = xcb_accept(number)
            let code = errno
            if descriptor >= 0 {
                add(Descriptor(descriptor))
                continue
            }
            switch code {
            case EAGAIN:
                if listener?.isEnding == true { endListening() }
                return false
            // The client has gone again, or a signal came in between: the next one may be fine.
            case ECONNABORTED, EINTR, EPERM: continue
            default:
                pauseAccepting(SystemError("accept", code: code))
                return false
            }
        }
        return true
    }

    /// Whether somebody may have connected who could not be accepted, since ``drain()``.
    package var mayHaveUnaccepted: Bool { hasGivenUpAccepting || listener?.isEnding == true }

    /// Lets the socket go, as nobody is accepted from it any more.
    private func endListening() {
        listener = nil
        service?.backlogEnded(on: self)
    }

    /// Lets clients wait until ``resumeAccepting(for:)`` was called for each reason.
    package func holdAccepting(for reason: AcceptingHold) {
        listener?.holds.insert(reason)
        watchListener([])
    }

    /// Accepts again, unless there is another reason not to; does nothing if there is none.
    package func resumeAccepting(for reason: AcceptingHold) {
        guard listener?.holds.remove(reason) != nil, listener?.holds.isEmpty == true else { return }
        watchListener(.readable)
    }

    private func pauseAccepting(_ error: SystemError) {
        service?.acceptFailed(error, on: self)
        if listener?.isEnding == true, connectionCount == 0 {
            listener?.lastFailureCount += 1
            if listener?.lastFailureCount == Self.lastAttempts {
                hasGivenUpAccepting = true
                return endListening()
            }
        }
        if listener?.holds.contains(.failure) == true { return }
        holdAccepting(for: .failure)
        _ = deadlines.add(.accepting, at: time + nanoseconds(Self.pause))
    }

    private func watchListener(_ events: Poller.Events) {
        guard let number = listener?.descriptor.number else { return }
        do {
            try poller.modify(number, events, as: Member.listener.rawValue)
        } catch {
            service?.acceptFailed(error, on: self)
        }
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

    /// Takes a connection on which somebody else is the client.
    func add(_ descriptor: consuming Descriptor) {
        var peer = xcb_peer()
        guard xcb_peer_read(descriptor.number, &peer) == 0 else { return }
        let credentials = Credentials(userID: peer.uid, groupID: peer.gid, processID: peer.pid)
        let id = connections.takeID()
        guard let session = service?.open(id, from: credentials, on: self) else {
            if takesDescriptors { closeBeside([descriptor.release()], for: account(of: peer.uid, .socket)) }
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
