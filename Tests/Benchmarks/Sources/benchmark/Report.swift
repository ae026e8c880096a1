import Foundation
import Glibc

/// The figures of a run, by the names that floors use.
typealias Figures = [String: Double]

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
    func holds(in figures: Figures) -> Bool? {
        guard let value = figures[figure], !value.isNaN else { return nil }
        return value >= atLeast ?? -.infinity && value <= atMost ?? .infinity
    }

    /// Returns the table of all floors.
    static func table(of floors: [Floor], for figures: Figures) -> Table {
        var table = Table(title: "Floors", columns: ["figure", "outcome", "value", "floor"])
        for floor in floors {
            let outcome = floor.holds(in: figures).map { $0 ? "holds" : "missed" }
            let bound = floor.atLeast.map { "≥ \($0.short)" } ?? floor.atMost.map { "≤ \($0.short)" }
            table.rows.append([
                floor.figure, outcome ?? "not measured", figures[floor.figure]?.short ?? "", bound ?? "",
            ])
        }
        return table
    }
}

/// A table of figures, written in Markdown.
struct Table {
    var title: String
    var columns: [String]
    var rows: [[String]] = []
    /// A note below the title.
    var note = ""

    /// Writes the table to standard output, with aligned columns.
    func show() {
        let widths = columns.indices.map { column in ([columns] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "| \(padded.joined(separator: " | ")) |\n"
        }
        let rule = line(widths.map { String(repeating: "-", count: $0) })
        let body = line(columns) + rule + rows.map(line).joined()
        print("\n### \(title)\n\n\(note.isEmpty ? "" : note + "\n\n")\(body)", terminator: "")
        fflush(nil)
    }
}

extension Double {
    /// The number with significant digits only: `543 k`, `2.77 M`, `12.3`, `0.213`.
    var short: String {
        switch magnitude {
        case 1e6...: String(format: "%.2f M", self / 1e6)
        case 1e5...: String(format: "%.0f k", self / 1e3)
        case 1e4...: String(format: "%.1f k", self / 1e3)
        case 100...: String(format: "%.0f", self)
        case 10...: String(format: "%.1f", self)
        case 1...: String(format: "%.2f", self)
        default: String(format: "%.3f", self)
        }
    }

    /// The number as a ratio: `0.95`.
    var ratio: String { String(format: "%.2f", self) }
}
