/// What several servers have shown under several loads, in several rounds.
struct Comparison {
    let servers: [Server]
    let loads: [Load]
    /// By load, server and round.
    private var rounds: [[[LoadResult]]]

    /// Creates a comparison with nothing in it.
    init(of servers: [Server], with loads: [Load]) {
        self.servers = servers
        self.loads = loads
        rounds = loads.map { _ in servers.map { _ in [] } }
    }

    /// Adds the result of one more round.
    mutating func add(_ result: LoadResult, load: Int, server: Int) {
        rounds[load][server].append(result)
    }

    /// The medians of a server's figures under a load.
    func median(load: Int, server: Int) -> LoadResult {
        .median(of: rounds[load][server])
    }

    /// What a figure of one server is to that of another: the median of the ratios of the rounds.
    ///
    /// What slows down the machine for a while slows down both, and leaves their ratio as it is.
    func ratio(_ figure: KeyPath<LoadResult, Double>, load: Int, of server: Int, to other: Int) -> Double {
        zip(rounds[load][server], rounds[load][other]).map { $0[keyPath: figure] / $1[keyPath: figure] }.median
    }

    /// A cell with a figure, and in brackets a ratio.
    func cell(
        _ figure: KeyPath<LoadResult, Double>, load: Int, server: Int, ratioOf first: Int, to second: Int
    ) -> String {
        let value = median(load: load, server: server)[keyPath: figure].short
        return first == second ? value : "\(value) (\(ratio(figure, load: load, of: first, to: second).ratio))"
    }
}
