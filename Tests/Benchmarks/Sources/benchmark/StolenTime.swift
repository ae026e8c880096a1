import Foundation

/// What the host of a virtual machine takes of its processors while something is measured (`steal` of proc_stat(5)).
///
/// On a machine of its own it is nothing.
final class StolenTime {
    /// The part of all processors that may be taken without the measurement being made again.
    static let limit = 0.04
    /// How often something is measured at most until little enough is taken.
    static let attempts = 5

    private var attemptCount = 0
    private var repetitionCount = 0
    private var disturbedCount = 0

    /// Measures something until little is taken meanwhile; else the attempt counts of which least was taken.
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

    /// What has come of it, in words; nil if nothing was taken.
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

    /// The time of all processors so far, and what was taken of it, in ticks.
    private static func ticks() throws -> (all: Double, stolen: Double) {
        let text = try String(contentsOfFile: "/proc/stat", encoding: .utf8)
        // user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of the first two.
        let line = text.prefix { $0 != "\n" }
        let numbers = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        guard numbers.count == 8 else { throw BenchmarkError("cannot read /proc/stat: '\(line)'") }
        return (numbers.reduce(0, +), numbers[7])
    }
}
