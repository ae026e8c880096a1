/// A load on a server.
struct Load {
    var connections: Int
    var inFlight: Int

    /// The name in tables.
    var label: String { "\(connections),\(inFlight)" }

    /// The options of the load program.
    var options: [String] { ["--connections", "\(connections)", "--in-flight", "\(inFlight)"] }
}

/// The result of a load; times are in microseconds.
struct LoadResult: Codable {
    /// The number of requests per second.
    var rate: Double
    var p50: Double
    var p99: Double
    /// The processor time of the server per request.
    var processor: Double
    /// The share of one processor that the client used.
    var clientLoad: Double

    /// Returns a result whose every figure is the median of that figure.
    static func median(of results: [LoadResult]) -> LoadResult {
        func median(_ figure: KeyPath<LoadResult, Double>) -> Double { results.map { $0[keyPath: figure] }.median }
        return LoadResult(
            rate: median(\.rate), p50: median(\.p50), p99: median(\.p99), processor: median(\.processor),
            clientLoad: median(\.clientLoad))
    }
}

/// The results of several servers under several loads, in several rounds.
struct Comparison {
    let servers: [Server]
    let loads: [Load]
    /// The results by load, server and round.
    private var rounds: [[[LoadResult]]]

    /// Creates an empty comparison.
    init(of servers: [Server], with loads: [Load]) {
        self.servers = servers
        self.loads = loads
        rounds = loads.map { _ in servers.map { _ in [] } }
    }

    /// Adds the result of a round.
    mutating func add(_ result: LoadResult, load: Int, server: Int) {
        rounds[load][server].append(result)
    }

    /// Returns the medians of a server's figures under a load.
    func median(load: Int, server: Int) -> LoadResult {
        .median(of: rounds[load][server])
    }

    /// Returns the ratio of a figure between two servers: the median of the ratios of the rounds.
    ///
    /// A temporary slowdown of the machine affects both, and leaves their ratio unchanged.
    func ratio(_ figure: KeyPath<LoadResult, Double>, load: Int, of server: Int, to other: Int) -> Double {
        zip(rounds[load][server], rounds[load][other]).map { $0[keyPath: figure] / $1[keyPath: figure] }.median
    }

    /// Returns a cell with a figure, and a ratio in brackets.
    func cell(
        _ figure: KeyPath<LoadResult, Double>, load: Int, server: Int, ratioOf first: Int, to second: Int
    ) -> String {
        let value = median(load: load, server: server)[keyPath: figure].short
        return first == second ? value : "\(value) (\(ratio(figure, load: load, of: first, to: second).ratio))"
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
