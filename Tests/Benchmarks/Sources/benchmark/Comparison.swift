/// A load on a server.
struct Load {
    var connections: Int
    var inFlight: Int

    /// The name in tables.
    var label: String { "\(connections),\(inFlight)" }
}

/// The result of a load; times are in microseconds.
struct LoadResult: Codable {
    /// The number of requests per second.
    var rate: Double
    var p50: Double
    var p99: Double
}

/// The results of several servers under several loads, in several rounds.
struct Comparison {
    let servers: [Server]
    /// The results by load, server and round.
    private var rounds: [[[LoadResult]]]

    /// Creates an empty comparison.
    init(of servers: [Server], with loads: [Load]) {
        self.servers = servers
        rounds = loads.map { _ in servers.map { _ in [] } }
    }

    /// Adds the result of a round.
    mutating func add(_ result: LoadResult, load: Int, server: Int) {
        rounds[load][server].append(result)
    }

    /// Returns the median of a server's figure under a load.
    func median(_ figure: KeyPath<LoadResult, Double>, load: Int, server: Int) -> Double {
        rounds[load][server].map { $0[keyPath: figure] }.median
    }

    /// Returns the ratio of the rates of two servers: the median of the ratios of the rounds.
    ///
    /// A temporary slowdown of the machine affects both, and leaves their ratio unchanged.
    func ratio(load: Int, of server: Int, to other: Int) -> Double {
        zip(rounds[load][server], rounds[load][other]).map { $0.rate / $1.rate }.median
    }
}

/// The times of several subjects, measured in turn; in milliseconds, by subject and round.
struct Turns {
    private(set) var times: [[Double]]

    /// Measures all subjects in each round.
    init(of subjects: [() throws -> Double], rounds: Int) throws {
        times = subjects.map { _ in [] }
        for _ in 0..<rounds {
            for (index, subject) in subjects.enumerated() { times[index].append(try subject()) }
        }
    }

    /// Returns the median of a subject.
    func median(_ subject: Int) -> Double { times[subject].median }

    /// Returns the shortest time of a subject.
    func least(_ subject: Int) -> Double { times[subject].min() ?? .nan }

    /// Returns the median of the ratios of the rounds.
    func ratio(of subject: Int, to other: Int) -> Double {
        zip(times[subject], times[other]).map { $0 / $1 }.median
    }
}

extension [Double] {
    /// The middle value, or the mean of the two middle ones.
    var median: Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
