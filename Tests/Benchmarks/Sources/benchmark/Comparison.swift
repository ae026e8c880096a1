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
