import Foundation
import Glibc

/// The environment of all sections: the programs, a place for files, and the duration of measurements.
final class Bench {
    /// The duration of a run.
    struct Effort {
        var rounds: Int
        var warmUp: Double
        var seconds: Double
        var starts: Int
        /// The number of runs of programs that end by themselves.
        var turns: Int
        /// The number of requests to each daemon during each attack.
        var requestsBesideAttack: Int

        static let full = Self(
            rounds: 7, warmUp: 0.15, seconds: 0.45, starts: 30, turns: 80, requestsBesideAttack: 1600)
        static let quick = Self(
            rounds: 3, warmUp: 0.1, seconds: 0.2, starts: 10, turns: 20, requestsBesideAttack: 300)
    }

    let effort: Effort
    /// The measured daemon program.
    let daemon: String
    /// The folder that replaces `/usr/bin` for the message bus; see ``MessageBus``.
    let busPrograms: String
    /// The directory of sockets, configurations and logs, which other users cannot list.
    let directory: String
    /// The servers of the current section.
    private(set) var servers: [ChildProcess] = []

    /// Creates the directory.
    init(effort: Effort, daemon: String, busPrograms: String) throws {
        self.effort = effort
        self.daemon = daemon
        self.busPrograms = busPrograms
        directory = FileManager.default.temporaryDirectory.appending(path: "xcallbackd-bench-\(getpid())").path
        guard mkdir(directory, 0o700) == 0 else { throw BenchmarkError.system("cannot make '\(directory)'") }
    }

    /// Returns the path of a program of this package.
    func ownProgram(_ name: String) -> String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
    }

    /// Returns the path of a file.
    func path(_ name: String) -> String {
        "\(directory)/\(name)"
    }

    /// Writes a file, and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
        chmod(path(name), 0o600)
        return path(name)
    }

    /// Starts a server that runs until the section ends.
    func startServer(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], isRead: Bool = false
    ) throws -> ChildProcess {
        let server = try start(program, arguments, environment: environment, isRead: isRead)
        servers.append(server)
        return server
    }

    /// Ends all servers, the last one first, and removes their logs, which are large after some attacks.
    func endServers() {
        while let server = servers.popLast() {
            server.end()
            unlink(server.log)
        }
    }

    /// Starts a program.
    func start(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], isRead: Bool = false
    ) throws -> ChildProcess {
        let log = path("\(URL(fileURLWithPath: program).lastPathComponent).log")
        return try ChildProcess(program, arguments, environment: environment, log: log, isRead: isRead)
    }

    /// Loads a server for the duration of a round.
    func measure(_ server: Server, with load: Load) throws -> LoadResult {
        let program = try start(
            ownProgram(server.loadProgram),
            ["--socket", server.socket] + server.question
                + ["--connections", "\(load.connections)", "--in-flight", "\(load.inFlight)"]
                + ["--warm-up", "\(effort.warmUp)", "--seconds", "\(effort.seconds)"],
            isRead: true)
        return try JSONDecoder().decode(LoadResult.self, from: program.readAll())
    }

    /// Loads each server with each load in every round, in turn, and in reverse order in every other round.
    func compare(_ servers: [Server], with loads: [Load]) throws -> Comparison {
        var comparison = Comparison(of: servers, with: loads)
        for round in 0..<effort.rounds {
            for (place, load) in loads.enumerated() {
                for index in round % 2 == 0 ? Array(servers.indices) : servers.indices.reversed() {
                    comparison.add(try measure(servers[index], with: load), load: place, server: index)
                }
            }
        }
        return comparison
    }
}
