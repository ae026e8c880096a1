/// Rows of cells in columns that are as wide as they need to be.
struct TextTable {
    private let rows: [[String]]

    /// Creates a table; a row may end early.
    init(_ rows: [[String]]) {
        self.rows = rows.map { row in row.map(\.withVisibleControls) }
    }

    /// The rows, a line each, without blanks at their ends.
    var text: String { lines.joined(separator: "\n") }

    /// The rows, without blanks at their ends.
    var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        // The last cell of a row needs no room beside it.
        let widths = (0..<columns).map { column in
            rows.filter { column < $0.count - 1 }.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            row.indices.dropLast().map { row[$0].padded(to: widths[$0]) + "  " }.joined() + (row.last ?? "")
        }
    }
}
