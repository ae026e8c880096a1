/// A place in a configuration file: a range of characters within a line.
package struct Place: Hashable, Sendable {
    /// The name of the file in messages.
    package let file: String
    /// The line, starting at 1; 0 for the file as a whole.
    package let line: Int
    /// The column of the first character, starting at 1; 0 for the file as a whole.
    ///
    /// A tab, a letter with accents and an emoji are one character each.
    package let column: Int
    /// The number of characters, at least 1.
    package let length: Int

    /// Creates a place from a line and a column, both starting at 1.
    package init(file: String, line: Int, column: Int, length: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
        self.length = max(length, 1)
    }

    /// Creates a place for a file as a whole.
    package init(file: String) {
        self.init(file: file, line: 0, column: 0)
    }
}

extension Place: Comparable {
    /// Orders places by file, line and column.
    package static func < (left: Place, right: Place) -> Bool {
        if left.file != right.file { return left.file < right.file }
        return (left.line, left.column, left.length) < (right.line, right.column, right.length)
    }
}

extension Place: CustomStringConvertible {
    /// The written form: `config.yaml:7:15`, or only the name of the file.
    package var description: String {
        line == 0 ? file.visible : "\(file.visible):\(line):\(column)"
    }
}
