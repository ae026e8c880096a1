import Foundation

/// A bound of a figure, from the file of thresholds.
struct Threshold: Codable {
    /// Whether more or less is better.
    enum Bound: String, Codable {
        case atLeast = "at least"
        case atMost = "at most"
    }

    /// The comparison of a figure with its bounds.
    enum Outcome: String {
        case missed, met, reached
        case unmeasured = "not measured"
    }

    /// An alternative requirement, for machines on which no peer can meet the must.
    struct Relief: Codable {
        /// The figure of a peer in the same run.
        var of: String
        /// The required share of it.
        var share: Double
    }

    var figure: String
    var bound: Bound
    var must: Double?
    var aim: Double?
    /// The alternative to the must; the weaker requirement applies.
    var relief: Relief?

    /// Reads the thresholds from a file.
    static func read(_ path: String) throws -> [Threshold] {
        do {
            return try JSONDecoder().decode([Threshold].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw BenchmarkError("cannot read the thresholds in '\(path)': \(error.localizedDescription)")
        }
    }

    /// Returns the must for a run.
    func must(in report: Report) -> Double? {
        guard let must, let relief, let peer = report.figures[relief.of], !peer.isNaN else { return must }
        return bound == .atLeast ? min(must, peer * relief.share) : max(must, peer * relief.share)
    }

    /// Compares the figure of a run: `missed` is worse than the must, `reached` at least as good as the aim.
    func outcome(in report: Report) -> Outcome {
        guard let value = report.figures[figure], !value.isNaN else { return .unmeasured }
        func holds(_ limit: Double?) -> Bool? {
            limit.map { bound == .atLeast ? value >= $0 : value <= $0 }
        }
        if holds(must(in: report)) == false { return .missed }
        return holds(aim) ?? true ? .reached : .met
    }

    /// Returns the table of all thresholds.
    static func table(of thresholds: [Threshold], for report: Report) -> Table {
        func text(_ limit: Double?, _ bound: Bound) -> String {
            limit.map { "\(bound == .atLeast ? "≥" : "≤") \($0.plain)" } ?? ""
        }
        func must(_ threshold: Threshold) -> String {
            let stated = text(threshold.must, threshold.bound)
            guard let must = threshold.must(in: report), must != threshold.must else { return stated }
            return "\(must.short) for \(stated)"
        }
        var table = Table(title: "Thresholds", columns: ["figure", "outcome", "value", "must", "aim"], words: 2)
        for threshold in thresholds {
            let value = report.figures[threshold.figure]
            let outcome = threshold.outcome(in: report)
            table.rows.append([
                threshold.figure, outcome == .reached ? "met" : outcome == .met ? "met, not the aim" : outcome.rawValue,
                value?.short ?? "", must(threshold),
                text(threshold.aim, threshold.bound),
            ])
        }
        return table
    }
}
