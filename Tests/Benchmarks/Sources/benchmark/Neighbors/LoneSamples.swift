/// The results of clients' requests; times are in milliseconds.
struct LoneSamples: Sendable {
    private var latencies: [Double] = []
    private var processorTimes: [Double] = []
    /// The number of requests without a right answer in time.
    private(set) var refused = 0

    /// The number of requests.
    var count: Int { latencies.count }

    /// Adds a request, with the processor time of the daemon's loop from its arrival to its answer.
    mutating func add(latency: Double, processor: Double, isAnswered: Bool) {
        latencies.append(latency)
        processorTimes.append(processor)
        if !isAnswered { refused += 1 }
    }

    /// Adds a request whose time is meaningless.
    mutating func add(isAnswered: Bool) {
        if !isAnswered { refused += 1 }
    }

    var p50: Double { Self.quantile(0.5, of: latencies) }
    var p99: Double { Self.quantile(0.99, of: latencies) }
    var longest: Double { latencies.max() ?? .nan }
    /// The p99 of the loop's processor time.
    var processor: Double { Self.quantile(0.99, of: processorTimes) }

    /// The maximum of the loop's processor time for a request.
    var mostProcessor: Double { processorTimes.max() ?? .nan }

    /// Returns the value that a share of the values does not exceed.
    private static func quantile(_ share: Double, of values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        return values.sorted()[min(values.count - 1, Int(share * Double(values.count)))]
    }
}
