import CLinux
import Glibc

/// Many clients of one socket that send and read concurrently.
package final class Crowd {
    /// An event of a client.
    package enum Event {
        /// A client has read a line.
        case line(client: Int, ArraySlice<UInt8>)
        /// The peer has closed the connection; the rest is not a complete line.
        case end(client: Int, rest: [UInt8])
    }

    private struct Member {
        var descriptor: Int32
        var unsent: [UInt8] = []
        var sentCount = 0
        var received: [UInt8] = []
        var isWaiting = false
    }

    private let path: String
    private let poller: Int32
    private var members: [Member] = []
    private var events = [epoll_event](repeating: epoll_event(), count: 512)
    private var chunk = [UInt8](repeating: 0, count: 65_536)

    /// Creates a crowd without clients.
    ///
    /// - Parameter path: The socket.
    /// - Throws: ``TestFailure`` if the system is out of descriptors.
    package init(_ path: String) throws {
        self.path = path
        poller = try TestFailure.check("epoll_create1", epoll_create1(Int32(EPOLL_CLOEXEC)))
    }

    deinit {
        for client in members.indices { close(client) }
        Glibc.close(poller)
    }

    /// Connects another client.
    ///
    /// - Returns: The client's number; the first is 0.
    @discardableResult
    package func connect() throws -> Int {
        // The socket connects before it becomes non-blocking, so that it waits while the backlog is full.
        let descriptor = try makeSocket(SOCK_STREAM)
        try setPatience(descriptor, seconds: 20)
        _ = try TestFailure.check("connect \(path)", withSocketAddress(path) { Glibc.connect(descriptor, $0, $1) })
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        members.append(Member(descriptor: descriptor))
        control(EPOLL_CTL_ADD, members.count - 1)
        return members.count - 1
    }

    /// Closes a client; does nothing if it is already closed.
    package func close(_ client: Int) {
        guard members[client].descriptor >= 0 else { return }
        Glibc.close(members[client].descriptor)
        members[client].descriptor = -1
    }

    /// Sends bytes, as soon as the socket takes them.
    package func send(_ bytes: some Sequence<UInt8>, on client: Int) {
        members[client].unsent += bytes
        flush(client)
    }

    /// The number of bytes of a client that the socket has not accepted yet.
    package func unsentCount(of client: Int) -> Int { members[client].unsent.count - members[client].sentCount }

    /// Waits for events.
    ///
    /// - Parameter body: Called with each event.
    /// - Throws: ``TestFailure`` if nothing happens for twenty seconds, and the errors of `body`.
    package func wait(_ body: (Event) throws -> Void) throws {
        var count: Int32
        repeat { count = epoll_wait(poller, &events, Int32(events.count), 20_000) } while count < 0 && errno == EINTR
        guard count > 0 else { throw TestFailure("nothing has happened for twenty seconds") }
        for event in events[..<Int(count)] {
            let client = Int(event.data.u64)
            if event.events & EPOLLOUT.rawValue != 0 { flush(client) }
            if event.events & ~EPOLLOUT.rawValue != 0 { try receive(client, body) }
        }
    }

    private func flush(_ client: Int) {
        guard members[client].descriptor >= 0 else { return }
        while members[client].sentCount < members[client].unsent.count {
            let count = members[client].unsent[members[client].sentCount...].withUnsafeBytes {
                Glibc.send(members[client].descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // Reading reports that a client has gone.
            guard count >= 0 else { break }
            members[client].sentCount += count
        }
        let isWaiting = members[client].sentCount < members[client].unsent.count
        if !isWaiting {
            members[client].unsent.removeAll(keepingCapacity: true)
            members[client].sentCount = 0
        }
        guard isWaiting != members[client].isWaiting else { return }
        members[client].isWaiting = isWaiting
        control(EPOLL_CTL_MOD, client)
    }

    private func receive(_ client: Int, _ body: (Event) throws -> Void) throws {
        guard members[client].descriptor >= 0 else { return }
        let count = recv(members[client].descriptor, &chunk, chunk.count, 0)
        let code = errno
        if count < 0, code == EAGAIN || code == EINTR { return }
        guard count > 0 else {
            close(client)
            return try body(.end(client: client, rest: members[client].received))
        }
        var received: [UInt8] = []
        swap(&received, &members[client].received)
        received += chunk[..<count]
        var start = 0
        while let end = indexOfLineFeed(in: received, from: start) {
            try body(.line(client: client, received[start..<end]))
            start = end + 1
        }
        received.removeFirst(start)
        swap(&received, &members[client].received)
    }

    private func control(_ operation: Int32, _ client: Int) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | (members[client].isWaiting ? EPOLLOUT.rawValue : 0)
        event.data.u64 = UInt64(client)
        epoll_ctl(poller, operation, members[client].descriptor, &event)
    }
}
