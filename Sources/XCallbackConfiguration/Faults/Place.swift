/// Where something stands in a configuration file: a stretch of characters within one line.
package struct Place: Hashable, Sendable {
    /// The file's name as messages show it.
    package let file: String
    /// The line, from 1; 0 when the file as a whole is meant.
    package let line: Int
    /// The column of the first character, from 1; 0 when the file as a whole is meant.
    ///
    /// A tab, a letter with its accents and an emoji are one character each.
    package let column: Int
    /// How many characters of the line belong to it, at least 1.
    package let length: Int

    /// Creates a place from a line and a column, both counted from 1.
    package init(file: String, line: Int, column: Int, length: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
        self.length = max(length, 1)
    }

    /// Creates the place of a file as a whole.
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
    /// The written form: `config.yaml:7:15`, or the file's name alone.
    package var description: String {
        line == 0 ? file.visible : "\(file.visible):\(line):\(column)"
    }
}
