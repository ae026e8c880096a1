import Glibc

/// What a run has found.
struct Report {
    /// The figures that thresholds may name.
    private(set) var figures: [String: Double] = [:]

    /// Keeps a figure.
    mutating func add(_ name: String, _ value: Double) {
        figures[name] = value
    }

    /// Writes a table to standard output.
    mutating func add(_ table: Table) {
        print("\n" + table.markdown, terminator: "")
        fflush(nil)
    }
}
