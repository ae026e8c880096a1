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

/// A character that is not allowed in a configuration file.
struct BadCharacter {
    /// The line, starting at 1.
    var line = 1
    /// The number of Unicode scalars before it in its line.
    var offset = 0
    /// The character that was found and the expected one.
    var message = ""
}

extension Source {
    /// The first byte that is not UTF-8, or the first character that YAML does not allow unescaped; nil if there is none.
    ///
    /// Line breaks other than LF and CR LF are rejected too: YAML 1.1 considers them line breaks but editors do not, so
    /// a comment could hide a line.
    var firstBadCharacter: BadCharacter? {
        if isPlain { return nil }
        var place = BadCharacter()
        var offset = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            var length = 1
            if byte == UInt8(ascii: "\n") {
                place.line += 1
                place.offset = -1
            } else if !(0x20...0x7E).contains(byte), byte != UInt8(ascii: "\t") {
                guard let scalar = Self.firstScalar(in: bytes[offset...]) else {
                    let digits = String(byte, radix: 16, uppercase: true)
                    place.message = "expected UTF-8 text, found the byte 0x\(digits)"
                    return place
                }
                let isLineEnd = scalar == "\r" && bytes[offset...].starts(with: "\r\n".utf8)
                guard isLineEnd || Self.isAllowed(scalar) else {
                    let name = String(Character(scalar)).visible
                    place.message = "\(name) is not allowed here; it can be written as an escape in double quotes"
                    return place
                }
                length = UTF8.width(scalar)
            }
            offset += length
            place.offset += 1
        }
        return nil
    }

    private static func firstScalar(in bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        guard case .valid(let encoded) = parser.parseScalar(from: &iterator) else { return nil }
        return Unicode.UTF8.decode(encoded)
    }

    /// Whether a character other than printable ASCII, tab and line feed is allowed in a file.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: false
        default: scalar.value >= 0xA0
        }
    }
}
