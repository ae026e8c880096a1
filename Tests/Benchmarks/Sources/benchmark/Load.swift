/// What a server is loaded with.
struct Load {
    /// In which way requests follow one another.
    enum Manner {
        /// Each reply makes room for the next request.
        case closedLoop
        /// Each request has a connection of its own.
        case onceEach
        /// One request every twenty milliseconds.
        case lone
    }

    var connections: Int
    var inFlight: Int
    var manner = Manner.closedLoop

    /// How tables call it.
    var label: String { "\(connections),\(inFlight)" }

    /// The options of the program that makes it.
    var options: [String] {
        let size = ["--connections", "\(connections)", "--in-flight", "\(inFlight)"]
        return switch manner {
        case .closedLoop: size
        case .onceEach: size + ["--once"]
        case .lone: size + ["--every", "0.02"]
        }
    }
}

/// What a load has shown; times are in microseconds.
struct LoadResult: Codable {
    var requests: Double
    var seconds: Double
    /// Requests per second.
    var rate: Double
    var p50: Double
    var p99: Double
    var p999: Double
    /// The time of the processor that the server took for a request.
    var processor: Double
    /// The part of one processor that the client used.
    var clientLoad: Double

    /// The result whose every figure is the median of that figure.
    static func median(of results: [LoadResult]) -> LoadResult {
        func median(_ figure: KeyPath<LoadResult, Double>) -> Double { results.map { $0[keyPath: figure] }.median }
        return LoadResult(
            requests: median(\.requests), seconds: median(\.seconds), rate: median(\.rate), p50: median(\.p50),
            p99: median(\.p99), p999: median(\.p999), processor: median(\.processor), clientLoad: median(\.clientLoad)
        )
    }
}

extension [Double] {
    /// The value in the middle, or the mean of the two that are.
    var median: Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
