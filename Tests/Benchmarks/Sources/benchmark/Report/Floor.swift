import Foundation

/// A bound of a figure, from the file of floors.
struct Floor: Codable {
    var figure: String
    /// The least allowed value; nil if the figure is bounded from above.
    var atLeast: Double?
    /// The greatest allowed value; nil if the figure is bounded from below.
    var atMost: Double?

    private enum CodingKeys: String, CodingKey {
        case figure
        case atLeast = "at least"
        case atMost = "at most"
    }

    /// Reads the floors from a file.
    static func read(_ path: String) throws -> [Floor] {
        do {
            return try JSONDecoder().decode([Floor].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw BenchmarkError("cannot read the floors in '\(path)': \(error.localizedDescription)")
        }
    }

    /// Whether the figure of a run is within the bound; nil if it was not measured.
    func holds(in report: Report) -> Bool? {
        guard let value = report.figures[figure], !value.isNaN else { return nil }
        return value >= atLeast ?? -.infinity && value <= atMost ?? .infinity
    }

    /// Returns the table of all floors.
    static func table(of floors: [Floor], for report: Report) -> Table {
        var table = Table(title: "Floors", columns: ["figure", "outcome", "value", "floor"], words: 2)
        for floor in floors {
            let outcome = floor.holds(in: report).map { $0 ? "holds" : "missed" }
            let bound = floor.atLeast.map { "≥ \($0.plain)" } ?? floor.atMost.map { "≤ \($0.plain)" }
            table.rows.append([
                floor.figure, outcome ?? "not measured", report.figures[floor.figure]?.short ?? "", bound ?? "",
            ])
        }
        return table
    }
}
