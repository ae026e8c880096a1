import Foundation
import Glibc
import Synchronization

extension Bench {
    /// Starts the daemon.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - name: The name in tables.
    /// - Returns: The listening server.
    /// - Throws: ``BenchmarkError`` if it does not listen within ten seconds.
    func startDaemon(
        _ configuration: DaemonConfiguration = .init(), name: String = "xcallbackd"
    ) throws -> Server {
        let number = Self.counter.next()
        let file = try workspace.write(configuration.text, to: "daemon\(number).yaml")
        let socket = workspace.path("daemon\(number)")
        let program = try startServer(daemon, ["--config", file, "--socket", socket])
        try waitForListener(on: socket, startedBy: program)
        return Server(name: name, shortName: name, socket: socket, question: Question.options, program: program)
    }

    /// Starts the C server.
    func startYardstick() throws -> Server {
        let socket = workspace.path("yardstick\(Self.counter.next())")
        let program = try startServer("yardstick", [socket, "100"])
        try waitForListener(on: socket, startedBy: program)
        return Server(
            name: "C yardstick", shortName: "the yardstick", socket: socket, question: Question.options,
            program: program
        )
    }

    /// The redis program.
    ///
    /// In Debian's packages, the server is the program that checks its files, under another name; the package of the server
    /// only adds the service, which a benchmark must not start.
    static let redis = (program: "redis-check-rdb", name: "redis-server")

    /// Returns the options of redis.
    func redisOptions(socket: String) -> [String] {
        [
            "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", workspace.path(""),
            "--maxclients", "15000",
        ]
    }

    /// Starts redis, whose request is for a `PONG`.
    func startRedis() throws -> Server {
        let socket = workspace.path("redis")
        let program = try startServer(Self.redis.program, redisOptions(socket: socket), name: Self.redis.name)
        try waitForListener(on: socket, startedBy: program)
        let question = ["--request", "PING\r\n", "--reply", "+PONG\r\n"]
        return Server(
            name: "redis `PING`", shortName: "redis PING", socket: socket, question: question, program: program
        )
    }

    /// Numbers that give servers unique file names.
    private static let counter = Counter()
}

/// Consecutive numbers.
private final class Counter: Sendable {
    private let value = Mutex(0)

    /// The next number.
    func next() -> Int {
        value.withLock {
            $0 += 1
            return $0
        }
    }
}
