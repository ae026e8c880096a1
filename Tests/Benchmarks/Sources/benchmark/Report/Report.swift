import Glibc

/// What a run has found.
struct Report {
    /// The figures that thresholds may name.
    private(set) var figures: [String: Double] = [:]
    /// What the names of figures begin with that cannot be measured here.
    private var skipped: [String] = []

    /// Keeps a figure.
    mutating func add(_ name: String, _ value: Double) {
        figures[name] = value
    }

    /// Says why a section is skipped, whose figures begin with its name and a colon.
    mutating func skip(_ section: String, because reason: String) {
        skipped.append("\(section): ")
        print("\nSkipped: '\(section)', because \(reason).")
    }

    /// Whether a figure belongs to a section that was skipped.
    func isSkipped(_ figure: String) -> Bool {
        skipped.contains { figure.hasPrefix($0) }
    }

    /// Writes a table to standard output.
    mutating func add(_ table: Table) {
        print("\n" + table.markdown, terminator: "")
        fflush(nil)
    }
}
