import Foundation

/// The parts of a request without socket and daemon, measured by the main package.
enum PartsSection: Section {
    static let name = "parts"

    /// The cost of a part; times are in nanoseconds.
    private struct Part: Codable {
        var name: String
        var best: Double
        var median: Double
        var allocations: Double
    }

    static func run(on bench: Bench, into report: inout Report) throws {
        guard let program = bench.parts else { return }
        let text = try bench.start(program, ["--json"], isRead: true).readAll()
        var table = Table(title: "Parts of a request", columns: ["part", "best ns", "median ns", "allocations"])
        for part in try JSONDecoder().decode([Part].self, from: text) {
            // Other activity of the processor can only add to it.
            report.add("\(part.name), ns", part.best)
            report.add("\(part.name), allocations", part.allocations)
            table.rows.append([part.name, part.best.short, part.median.short, part.allocations.plain])
        }
        report.add(table)
        for verb in ["write", "read"] {
            guard let items = report.figures["\(verb) items, ns"], let json = report.figures["\(verb) JSON, ns"] else {
                continue
            }
            report.add("\(verb) a value to JSON", items / json)
        }
    }
}
