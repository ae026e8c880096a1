import ArgumentParser
import CMeasure
import Foundation
import Glibc

/// Uses as much of a daemon as it can get, optionally as another user.
struct AttackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attack",
        abstract: "Keeps a daemon busy until standard input ends.",
        discussion: "Writes 'ready' once all connections were tried, and at its end a line with what it did.",
        shouldDisplay: false
    )

    @Argument(help: "The socket of the daemon.")
    var socket: String

    @Argument(help: "The name of the attack.")
    var name: String

    /// Runs the attack.
    func run() throws {
        guard let attack = Attack.all.first(where: { $0.name == name }) else {
            throw ValidationError("There is no attack '\(name)'.")
        }
        measure_raise_descriptor_limit()
        // The other user cannot traverse the directories above the socket's, and need not when already inside.
        let socket = URL(fileURLWithPath: socket)
        try check("chdir", chdir(socket.deletingLastPathComponent().path))
        if case .otherUser = attack.attacker {
            try check("setgroups", setgroups(attack.groups, (0..<attack.groups).map { gid_t(5_000_000 + $0) }))
            try check("setgid", setgid(Neighborhood.otherUser))
            try check("setuid", setuid(Neighborhood.otherUser))
        }
        var attacker = try Attacker(on: socket.lastPathComponent, by: attack)
        try attacker.run {
            print("ready")
            fflush(nil)
        }
        print(try attacker.summary())
    }
}

/// Returns the result of a system call.
@discardableResult
private func check(_ call: String, _ result: Int32) throws -> Int32 {
    guard result >= 0 else { throw BenchmarkError.system(call) }
    return result
}

/// The connections of all crowds of an attack, on one thread.
struct Attacker {
    /// The number of connections that are opened before the open ones are served.
    private static let openedAtATime = 64
    /// The event number of standard input.
    private static let input = UInt64.max

    private let path: String
    private let attacker: Attack.Attacker
    /// The number of the user of the last connection.
    private var user = 0
    private let epoll: Int32
    private let crowds: [Crowd]
    private var connections: [Connection] = []
    /// The connections to open; the last one is next.
    private var closed: [Int]
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    private var openedCount = 0
    /// The number of connections that the daemon closed or did not accept.
    private var lostCount = 0
    private var bytesSent = 0
    private var bytesReceived = 0

    /// Creates an attack without starting it.
    init(on path: String, by attack: Attack) throws {
        self.path = path
        attacker = attack.attacker
        epoll = try check("epoll_create1", epoll_create1(0))
        crowds = attack.crowds
        for (index, crowd) in attack.crowds.enumerated() {
            connections += Array(repeating: Connection(crowd: index), count: crowd.connections)
        }
        closed = Array(connections.indices.reversed())
    }

    /// Returns a line with what the attack did.
    func summary() throws -> String {
        guard bytesSent > 0 else { throw BenchmarkError("the attack has sent nothing") }
        let (sent, received) = (Double(bytesSent) / 0x1p20, Double(bytesReceived) / 0x1p20)
        return "\(openedCount) connections, \(lostCount) lost; \(sent.short) MiB sent, \(received.short) read"
    }

    /// Runs until standard input ends.
    ///
    /// - Parameter begun: Called once every connection has been tried.
    /// - Throws: ``BenchmarkError`` if there are not enough descriptors.
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
        openedCount += 1
        let crowd = crowds[connections[index].crowd]
        guard crowd.manner != .leaves else {
            bytesSent += max(0, connections[index].send(crowd))
            connections[index].close()
            // Other connections have their turn first.
            return closed.insert(index, at: 0)
        }
        try watch(descriptor, as: UInt64(index), for: interest(of: index))
    }

    private mutating func connectAsNextUser(_ descriptor: Int32) throws -> Bool {
        guard case .manyUsers(let count) = attacker else { return connectTo(path, descriptor) }
        user = (user + 1) % count
        try check("seteuid", seteuid(4_000_000_000 + uid_t(user)))
        defer { seteuid(0) }
        return connectTo(path, descriptor)
    }

    private func connectTo(_ path: String, _ descriptor: Int32) -> Bool {
        withUnixAddress(path) { connect(descriptor, $0, $1) } == 0
    }

    /// Counts a connection that the daemon rejected, and queues it for reopening.
    private mutating func lose(_ index: Int) {
        lostCount += 1
        connections[index].close()
        closed.insert(index, at: 0)
    }

    private mutating func serve(_ index: Int, _ events: UInt32) throws {
        let crowd = crowds[connections[index].crowd]
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { return lose(index) }
        if events & EPOLLIN.rawValue != 0 {
            let count = recv(connections[index].descriptor, &buffer, buffer.count, 0)
            if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { return lose(index) }
            bytesReceived += max(0, count)
        }
        if events & EPOLLOUT.rawValue != 0 {
            let count = connections[index].send(crowd)
            if count < 0 && errno != EAGAIN && errno != EINTR { return lose(index) }
            bytesSent += max(0, count)
            if connections[index].isDone(crowd) { try change(index) }
        }
    }

    private func interest(of index: Int) -> UInt32 {
        let crowd = crowds[connections[index].crowd]
        return (crowd.manner == .reads ? EPOLLIN.rawValue : 0)
            | (connections[index].isDone(crowd) ? 0 : EPOLLOUT.rawValue)
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

/// One connection of a crowd, with its progress.
struct Connection {
    let crowd: Int
    private(set) var descriptor: Int32 = -1
    /// The number of bytes of the opening that were sent.
    private var opened = 0
    /// The position in the repeated bytes.
    private var position = 0

    /// Creates a closed connection.
    init(crowd: Int) {
        self.crowd = crowd
    }

    mutating func open(_ descriptor: Int32) {
        self.descriptor = descriptor
        opened = 0
        position = 0
    }

    mutating func close() {
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Whether nothing remains to be sent.
    func isDone(_ crowd: Crowd) -> Bool {
        opened == crowd.opening.count && crowd.repeated.isEmpty
    }

    /// Sends the next bytes that the socket accepts, and returns the result of `send`.
    mutating func send(_ crowd: Crowd) -> Int {
        let isOpening = opened < crowd.opening.count
        let (bytes, start) = isOpening ? (crowd.opening, opened) : (crowd.repeated, position)
        let count = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return count }
        if isOpening {
            opened += count
        } else {
            position = (position + count) % crowd.repeated.count
        }
        return count
    }
}
