/// Turns libyaml's columns, which count Unicode scalars, into columns that count characters.
///
/// It goes on from the last answer, so that asking from left to right costs one walk over a line, however long.
struct ColumnCounter {
    private let source: Source
    private var line = 0
    private var rest: Substring = ""
    private var scalars = 0
    private var characters = 0

    /// Creates a counter for the lines of a source.
    init(source: Source) {
        self.source = source
    }

    /// Finds the column of the character that a scalar belongs to.
    ///
    /// - Parameters:
    ///   - line: The line, from 1.
    ///   - offset: The number of scalars before it in the line.
    /// - Returns: The column, from 1.
    mutating func column(line: Int, offset: Int) -> Int {
        if line != self.line || offset < scalars {
            self.line = line
            rest = source.line(line)
            scalars = 0
            characters = 0
        }
        while scalars < offset, let next = rest.first {
            let width = next.unicodeScalars.count
            guard scalars + width <= offset else { break }
            rest.removeFirst()
            scalars += width
            characters += 1
        }
        return characters + 1
    }
}
