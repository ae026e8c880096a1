/// A load on a server.
struct Load {
    /// The sequence of requests.
    enum Manner {
        /// Each reply triggers the next request.
        case closedLoop
        /// Each request has its own connection.
        case onceEach
        /// One request every twenty milliseconds.
        case lone
    }

    var connections: Int
    var inFlight: Int
    var manner = Manner.closedLoop

    /// The name in tables.
    var label: String { "\(connections),\(inFlight)" }

    /// The options of the load program.
    var options: [String] {
        let size = ["--connections", "\(connections)", "--in-flight", "\(inFlight)"]
        return switch manner {
        case .closedLoop: size
        case .onceEach: size + ["--once"]
        case .lone: size + ["--every", "0.02"]
        }
    }
}

/// The result of a load; times are in microseconds.
struct LoadResult: Codable {
    var requests: Double
    var seconds: Double
    /// The number of requests per second.
    var rate: Double
    var p50: Double
    var p99: Double
    var p999: Double
    /// The processor time of the server per request.
    var processor: Double
    /// The share of one processor that the client used.
    var clientLoad: Double

    /// Returns a result whose every figure is the median of that figure.
    static func median(of results: [LoadResult]) -> LoadResult {
        func median(_ figure: KeyPath<LoadResult, Double>) -> Double { results.map { $0[keyPath: figure] }.median }
        return LoadResult(
            requests: median(\.requests), seconds: median(\.seconds), rate: median(\.rate), p50: median(\.p50),
            p99: median(\.p99), p999: median(\.p999), processor: median(\.processor), clientLoad: median(\.clientLoad)
        )
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
