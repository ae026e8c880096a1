import Foundation

/// The processor time that the host of a virtual machine takes during a measurement (`steal` of proc_stat(5)).
///
/// On a physical machine it is zero.
final class StolenTime {
    /// The share of all processors' time above which a measurement is repeated.
    static let limit = 0.04
    /// The maximum number of attempts.
    static let attempts = 5

    private var attemptCount = 0
    private var repetitionCount = 0
    private var disturbedCount = 0

    /// Repeats a measurement until little time is stolen; otherwise, the attempt with the least stolen time counts.
    func measure<Result>(_ body: () throws -> Result) throws -> Result {
        var best = try attempt(body)
        for _ in 1..<Self.attempts where best.part > Self.limit {
            repetitionCount += 1
            let next = try attempt(body)
            if next.part < best.part { best = next }
        }
        if best.part > Self.limit { disturbedCount += 1 }
        return best.result
    }

    /// A summary; nil if no time was stolen.
    var summary: String? {
        guard repetitionCount > 0 else { return nil }
        return """
            Of \(attemptCount) measurements \(repetitionCount) were repetitions, as the host took more than \
            \(Int(Self.limit * 100)) % of the processors; for \(disturbedCount) it never took less.
            """
    }

    private func attempt<Result>(_ body: () throws -> Result) throws -> (result: Result, part: Double) {
        attemptCount += 1
        let before = try Self.ticks()
        let result = try body()
        let after = try Self.ticks()
        return (result, (after.stolen - before.stolen) / max(after.all - before.all, 1))
    }

    /// Returns the total time of all processors so far, and the stolen part, in ticks.
    private static func ticks() throws -> (all: Double, stolen: Double) {
        let text = try String(contentsOfFile: "/proc/stat", encoding: .utf8)
        // user, nice, system, idle, iowait, irq, softirq, steal; the following fields are part of the first two.
        let line = text.prefix { $0 != "\n" }
        let numbers = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        guard numbers.count == 8 else { throw BenchmarkError("cannot read /proc/stat: '\(line)'") }
        return (numbers.reduce(0, +), numbers[7])
    }
}
