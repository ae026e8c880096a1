import CAllocationCount
import Glibc

/// What a benchmark costs, each time that it is done.
struct Measurement {
    /// The benchmark.
    let name: String
    /// The nanoseconds in the best round.
    let best: Double
    /// The nanoseconds in the round in the middle.
    let median: Double
    /// How often memory is allocated.
    let allocations: Double

    private static let roundCount = 21
    /// How long a round takes at least, in nanoseconds.
    private static let roundTime: Double = 20_000_000

    /// Measures benchmarks in turns, so that what else the machine does meets all of them alike.
    static func all(of benchmarks: [Benchmark]) throws -> [Measurement] {
        let counts = try benchmarks.map(count)
        var rounds = benchmarks.map { _ in [Double]() }
        for _ in 0..<roundCount {
            for (index, benchmark) in benchmarks.enumerated() {
                let time = try time { try benchmark.run(counts[index]) }
                rounds[index].append(time / Double(counts[index]))
            }
        }
        return try zip(benchmarks, rounds).map { try Measurement(of: $0, rounds: $1.sorted()) }
    }

    private init(of benchmark: Benchmark, rounds: [Double]) throws {
        name = benchmark.name
        best = rounds[0]
        median = rounds[rounds.count / 2]
        // What is made once goes away in the difference.
        let once = try Self.allocations { try benchmark.run(1000) }
        let twice = try Self.allocations { try benchmark.run(2000) }
        allocations = (twice - once) / 1000
    }

    /// How often a benchmark is done in a round.
    private static func count(of benchmark: Benchmark) throws -> Int {
        var count = 1000
        while try time({ try benchmark.run(count) }) < roundTime { count *= 2 }
        return count
    }

    /// How long the processor is busy with something; what else the machine does in between does not count.
    private static func time(_ body: () throws -> Void) rethrows -> Double {
        let start = processorTime()
        try body()
        return processorTime() - start
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private static func allocations(_ body: () throws -> Void) rethrows -> Double {
        let start = xcb_allocation_count()
        try body()
        return Double(xcb_allocation_count() - start)
    }
}
