/// A part of the run that can be selected by name.
protocol Section: Sendable {
    /// The name for `--only`.
    static var name: String { get }
    /// Measures, and adds the results to a report.
    static func run(on bench: Bench, into report: inout Report) throws
}

/// All sections, in their order.
let allSections: [any Section.Type] = [
    ThroughputSection.self, VarlinkSection.self, CommandSection.self, StartSection.self, ReloadSection.self,
    MemorySection.self, NeighborsSection.self,
]
