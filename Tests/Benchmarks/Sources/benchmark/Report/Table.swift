import Foundation

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
