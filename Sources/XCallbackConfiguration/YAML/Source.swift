/// The text of a configuration file, accessible by line.
final class Source {
    /// The name of the file in messages.
    let name: String
    /// Whether it contains only printable ASCII characters and line feeds.
    let isPlain: Bool
    /// Whether it contains only ASCII characters.
    let isASCII: Bool
    /// The number of lines; a trailing line feed is followed by an empty line.
    let lineCount: Int
    /// The bytes of the file.
    let bytes: [UInt8]
    // Both are for messages, and for lines with other characters; most files need neither.
    /// The complete text, with invalid UTF-8 replaced.
    private(set) lazy var text = String(decoding: bytes, as: UTF8.self)
    private lazy var lineStarts: [Int] = {
        let bytes = isASCII ? bytes : Array(text.utf8)
        var starts = [0]
        for offset in bytes.indices where bytes[offset] == UInt8(ascii: "\n") { starts.append(offset + 1) }
        return starts
    }()

    /// Creates a source from a file's bytes.
    init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
        let lineFeed = UInt8(ascii: "\n")
        isASCII = bytes.allSatisfy { $0 < 0x80 }
        isPlain = bytes.allSatisfy { $0 == lineFeed || (0x20...0x7E).contains($0) }
        lineCount = bytes.count { $0 == lineFeed } + 1
    }

    /// Returns a line without its line break.
    ///
    /// - Parameter number: The line, starting at 1.
    /// - Returns: The text; empty if there is no such line.
    func line(_ number: Int) -> Substring {
        guard (1...lineCount).contains(number) else { return "" }
        let start = text.utf8.index(text.startIndex, offsetBy: lineStarts[number - 1])
        let end = number < lineCount ? text.utf8.index(text.startIndex, offsetBy: lineStarts[number]) : text.endIndex
        var line = text.unicodeScalars[start..<end]
        if line.last == "\n" { line.removeLast() }
        if line.last == "\r" { line.removeLast() }
        return Substring(line)
    }

    /// Returns a mark of libyaml, limited to the end of the text.
    ///
    /// If the text does not end with a line break, libyaml adds one and counts one line more.
    func limited(_ mark: YAMLMark) -> YAMLMark {
        guard mark.line >= lineCount else { return mark }
        return YAMLMark(line: lineCount - 1, column: line(lineCount).unicodeScalars.count)
    }
}

/// Converts libyaml's columns, which count Unicode scalars, into columns that count characters.
///
/// It continues at the last result, so that conversions from left to right cost a single pass over a line of any length.
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

    /// Returns the column of the character that contains a scalar.
    ///
    /// - Parameters:
    ///   - line: The line, starting at 1.
    ///   - offset: The number of scalars before it in the line.
    /// - Returns: The column, starting at 1.
    mutating func column(line: Int, offset: Int) -> Int {
        // The only character of two scalars is then CR LF, which ends the line.
        if source.isASCII { return offset + 1 }
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
