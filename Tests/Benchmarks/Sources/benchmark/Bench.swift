import Foundation

/// The environment of all sections: the programs, a place for files, and the duration of measurements.
struct Bench {
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
    let workspace: Workspace
    /// The measured daemon program.
    let daemon: String
    /// The command, beside the daemon.
    var command: String { URL(fileURLWithPath: daemon).deletingLastPathComponent().appending(path: "xcallback").path }
    /// The folder with the programs of this package.
    let programs: String
    /// The folder that replaces `/usr/bin` for the message bus; see ``MessageBus``.
    let busPrograms: String?

    /// The processor time that the host has taken during measurements.
    let stolenTime = StolenTime()

    /// The servers of the current section.
    private let servers = Servers()

    /// Starts a server that runs until the section ends; see ``start(_:_:name:environment:isRead:)``.
    func startServer(
        _ program: String, _ arguments: [String], name: String? = nil, environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let server = try start(
            program, arguments, name: name, environment: environment, isRead: program == "bus-peer")
        servers.list.append(server)
        return server
    }

    /// Ends all servers, the last one first.
    func endServers() {
        while let server = servers.list.popLast() { server.end() }
    }

    /// Starts a program, of this package or another.
    func start(
        _ program: String, _ arguments: [String], name: String? = nil, environment: [String: String] = [:],
        isRead: Bool = false
    ) throws -> ChildProcess {
        let isOwn = ["load", "bus-load", "yardstick", "bus-peer", "attack"].contains(program)
        let log = workspace.path("\(URL(fileURLWithPath: program).lastPathComponent).log")
        return try ChildProcess(
            .init(
                program: isOwn ? "\(programs)/\(program)" : program, arguments: arguments, name: name,
                environment: environment, log: log, isRead: isRead
            ))
    }

    /// Runs a program of this package and decodes its output line.
    func result(of program: String, _ arguments: [String]) throws -> LoadResult {
        let child = try start(program, arguments, isRead: true)
        defer { child.end() }
        let line = try child.readLine()
        try child.finish()
        return try JSONDecoder().decode(LoadResult.self, from: Data(line.utf8))
    }

    /// Loads a server for the duration of a round.
    func measure(_ server: Server, with load: Load) throws -> LoadResult {
        let times = ["--warm-up", "\(effort.warmUp)", "--seconds", "\(effort.seconds)"]
        return try stolenTime.measure { try result(of: server.loadProgram, server.options + load.options + times) }
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

/// A list of servers, shared by copies of the bench.
private final class Servers {
    var list: [ChildProcess] = []
}
