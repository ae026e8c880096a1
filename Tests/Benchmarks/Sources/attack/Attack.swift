import AttackPlan
import CMeasure
import Glibc

/// The connections of all crowds, on one thread.
struct Attack {
    /// The number of connections that are opened before the open ones are served.
    private static let openedAtATime = 64
    /// The event number of standard input.
    private static let input = UInt64.max

    private(set) var summary = AttackSummary()
    private let path: String
    /// The number of users as which connections are opened in turn; 0 for the process's own.
    private let users: Int
    private var user = 0
    private let epoll: Int32
    private let messages: [CrowdMessages]
    private var connections: [Connection] = []
    /// The connections to open; the last one is next.
    private var closed: [Int]
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)

    /// Creates an attack without starting it.
    init(on path: String, by crowds: [Crowd], users: Int) throws {
        self.path = path
        self.users = users
        epoll = try check("epoll_create1", epoll_create1(0))
        messages = crowds.map { CrowdMessages($0) }
        for (index, crowd) in crowds.enumerated() {
            connections += Array(repeating: Connection(crowd: index), count: crowd.connections)
        }
        closed = Array(connections.indices.reversed())
    }

    /// Runs until standard input ends.
    ///
    /// - Parameter begun: Called once every connection has been tried.
    /// - Throws: ``SystemFailure`` if there are not enough descriptors.
    mutating func run(begun: () -> Void) throws {
        try watch(STDIN_FILENO, as: Self.input, for: EPOLLIN.rawValue)
        var untried = connections.count
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while true {
            let opened = try openSome()
            if untried > 0 {
                untried -= opened
                if untried <= 0 { begun() }
            }
            let count = epoll_wait(epoll, &events, Int32(events.count), closed.isEmpty ? 1000 : opened > 0 ? 0 : 1)
            for event in events.prefix(max(0, Int(count))) {
                guard event.data.u64 != Self.input else { return }
                try serve(Int(event.data.u64), event.events)
            }
        }
    }

    /// Opens some of the closed connections, and returns the number of attempts.
    private mutating func openSome() throws -> Int {
        let next = closed.suffix(Self.openedAtATime)
        closed.removeLast(next.count)
        for index in next.reversed() { try open(index) }
        return next.count
    }

    private mutating func open(_ index: Int) throws {
        let descriptor = try check(
            "socket", socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0))
        connections[index].open(descriptor)
        // A full backlog is EAGAIN, and retried like a lost connection.
        guard try connectAsNextUser(descriptor) else { return lose(index) }
        summary.opened += 1
        let messages = messages[connections[index].crowd]
        guard messages.manner != .leaves else {
            summary.bytesSent += max(0, connections[index].send(messages))
            connections[index].close()
            // Other connections have their turn first.
            return closed.insert(index, at: 0)
        }
        try watch(descriptor, as: UInt64(index), for: interest(of: index))
    }

    private mutating func connectAsNextUser(_ descriptor: Int32) throws -> Bool {
        if users == 0 { return connectTo(path, descriptor) }
        user = (user + 1) % users
        try check("seteuid", seteuid(4_000_000_000 + uid_t(user)))
        defer { seteuid(0) }
        return connectTo(path, descriptor)
    }

    /// Counts a connection that the daemon rejected, and queues it for reopening.
    private mutating func lose(_ index: Int) {
        summary.refused += 1
        connections[index].close()
        closed.insert(index, at: 0)
    }

    private mutating func serve(_ index: Int, _ events: UInt32) throws {
        let messages = messages[connections[index].crowd]
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { return lose(index) }
        if events & EPOLLIN.rawValue != 0 {
            let count = recv(connections[index].descriptor, &buffer, buffer.count, 0)
            if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { return lose(index) }
            summary.bytesReceived += max(0, count)
        }
        if events & EPOLLOUT.rawValue != 0 {
            let count = connections[index].send(messages)
            if count < 0 && errno != EAGAIN && errno != EINTR { return lose(index) }
            summary.bytesSent += max(0, count)
            if connections[index].isDone(messages) { try change(index) }
        }
    }

    private func interest(of index: Int) -> UInt32 {
        let messages = messages[connections[index].crowd]
        return (messages.manner == .reads ? EPOLLIN.rawValue : 0)
            | (connections[index].isDone(messages) ? 0 : EPOLLOUT.rawValue)
    }

    private func watch(_ descriptor: Int32, as number: UInt64, for events: UInt32) throws {
        var event = epoll_event(events: events, data: epoll_data_t(u64: number))
        try check("epoll_ctl", epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event))
    }

    private func change(_ index: Int) throws {
        var event = epoll_event(events: interest(of: index), data: epoll_data_t(u64: UInt64(index)))
        try check("epoll_ctl", epoll_ctl(epoll, EPOLL_CTL_MOD, connections[index].descriptor, &event))
    }
}

/// Connects a socket to a sufficiently short path, and returns whether it succeeded.
private func connectTo(_ path: String, _ descriptor: Int32) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.dropLast().copyBytes(from: path.utf8.prefix(107)) }
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
    }
}
