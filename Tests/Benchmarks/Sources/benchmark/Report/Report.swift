import Glibc

/// The results of a run.
struct Report {
    /// The figures that floors may name.
    private(set) var figures: [String: Double] = [:]
    /// The prefixes of the names of figures that cannot be measured here.
    private var skipped: [String] = []

    /// Adds a figure.
    mutating func add(_ name: String, _ value: Double) {
        figures[name] = value
    }

    /// Reports why a section is skipped; its figures start with its name and a colon.
    mutating func skip(_ section: String, because reason: String) {
        skipped.append("\(section): ")
        print("\nSkipped: '\(section)', because \(reason).")
    }

    /// Whether a figure belongs to a skipped section.
    func isSkipped(_ figure: String) -> Bool {
        skipped.contains { figure.hasPrefix($0) }
    }

    /// Writes a table to standard output.
    mutating func add(_ table: Table) {
        print("\n" + table.markdown, terminator: "")
        fflush(nil)
    }
}
