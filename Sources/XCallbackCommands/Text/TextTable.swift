/// Rows of cells in columns of minimal width.
struct TextTable {
    private let rows: [[String]]

    /// Creates a table; rows may have fewer cells than others.
    init(_ rows: [[String]]) {
        self.rows = rows.map { row in row.map(\.withVisibleControls) }
    }

    /// The rows, one per line, without trailing blanks.
    var text: String { lines.joined(separator: "\n") }

    /// The rows, without trailing blanks.
    var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        // The last cell of a row needs no padding.
        let widths = (0..<columns).map { column in
            rows.filter { column < $0.count - 1 }.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            row.indices.dropLast().map { row[$0].padded(to: widths[$0]) + "  " }.joined() + (row.last ?? "")
        }
    }
}
