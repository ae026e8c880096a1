/// What the requests of clients have shown; times are in milliseconds.
struct LoneSamples: Sendable {
    private var latencies: [Double] = []
    private var processorTimes: [Double] = []
    /// How many were not answered rightly, and in time.
    private(set) var refused = 0

    /// How many there were.
    var count: Int { latencies.count }

    /// Adds a request, with the time that the daemon's loop has worked from its arrival to its answer.
    mutating func add(latency: Double, processor: Double, isAnswered: Bool) {
        latencies.append(latency)
        processorTimes.append(processor)
        if !isAnswered { refused += 1 }
    }

    /// Adds a request whose time says nothing.
    mutating func add(isAnswered: Bool) {
        if !isAnswered { refused += 1 }
    }

    var p50: Double { Self.quantile(0.5, of: latencies) }
    var p99: Double { Self.quantile(0.99, of: latencies) }
    var longest: Double { latencies.max() ?? .nan }
    /// The p99 of what the loop has worked.
    var processor: Double { Self.quantile(0.99, of: processorTimes) }

    /// The most that it has worked for one of them.
    var mostProcessor: Double { processorTimes.max() ?? .nan }

    /// The value that a share of the values does not exceed.
    private static func quantile(_ share: Double, of values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        return values.sorted()[min(values.count - 1, Int(share * Double(values.count)))]
    }
}
