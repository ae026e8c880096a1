import Foundation
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

/// A table of figures, written in Markdown.
struct Table {
    var title: String
    /// The column titles; the first column contains words.
    var columns: [String]
    var words = 1
    var rows: [[String]] = []
    /// A note below the table.
    var note = ""

    /// The text, with aligned columns.
    var markdown: String {
        let widths = columns.indices.map { column in ([columns] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = cells.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column < words ? cell + space : space + cell
            }
            return "| \(padded.joined(separator: " | ")) |\n"
        }
        let rule = widths.enumerated().map { column, width in
            column < words
                ? String(repeating: "-", count: width) : String(repeating: "-", count: max(width - 1, 1)) + ":"
        }
        let body = line(columns) + line(rule) + rows.map(line).joined()
        return "### \(title)\n\n\(note.isEmpty ? "" : note + "\n\n")\(body)"
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

    /// The number with all relevant digits: `10000`, `0.85`.
    var plain: String { String(format: "%g", self) }

    /// The number as a ratio: `0.95`.
    var ratio: String { String(format: "%.2f", self) }
}
