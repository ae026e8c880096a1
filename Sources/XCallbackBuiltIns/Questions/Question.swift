import XCallbackConfiguration
import XCallbackPrograms
import XCallbackWire

/// A question to the user: text from the configuration, and values that an untrusted source may have written.
package struct Question: Sendable {
    /// The placeholder of a value in the written form.
    package static let placeholder = Array("{}".utf8)
    /// The maximum number of lines of a value, and of all values together; each value has at least one.
    private static let (valueLines, allLines) = (10, 18)
    /// The maximum number of lines that a dialog has room for.
    package static let lineLimit = 24
    /// The maximum number of bytes of all values in a question that shows them whole.
    package static let wholeLimit = 16_384

    private enum Part {
        case words(String)
        case value(String)
    }

    private let parts: [Part]

    /// Creates a question from its written form.
    ///
    /// - Parameters:
    ///   - text: The text, with `{}` for each value, and `{{` and `}}` for braces.
    ///   - values: The values, in their order.
    /// - Throws: ``QuestionError`` if the text contains a single brace, or if the numbers of `{}` and of values differ.
    package init(_ text: String, _ values: [String] = []) throws(QuestionError) {
        var parts: [Part] = []
        var words = ""
        var valueCount = 0
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch (scalar, rest.first) {
            case ("{", "{"), ("}", "}"):
                rest.removeFirst()
                words.unicodeScalars.append(scalar)
            case ("{", "}"):
                rest.removeFirst()
                parts.append(.words(words))
                words = ""
                if valueCount < values.count { parts.append(.value(values[valueCount])) }
                valueCount += 1
            case ("{", _), ("}", _): throw .loneBrace
            default: words.unicodeScalars.append(scalar)
            }
        }
        guard valueCount == values.count else { throw .otherCount(placeholders: valueCount, values: values.count) }
        self.parts = parts + [.words(words)]
    }

    /// Returns a text in the written form: with its braces doubled.
    package static func written(_ words: [UInt8]) -> [UInt8] {
        words.flatMap { [UInt8(ascii: "{"), UInt8(ascii: "}")].contains($0) ? [$0, $0] : [$0] }
    }

    /// The lines that the user sees.
    ///
    /// Their length and number leave room for buttons. A line that starts within a value starts with an arrow.
    package var lines: [String] {
        let valueCount = parts.count { if case .value = $0 { true } else { false } }
        return lines(perValue: min(Self.valueLines, max(Self.allLines / max(valueCount, 1), 1)))
    }

    /// The lines without a limit of their number, for a text that scrolls.
    package var wholeLines: [String] { lines(perValue: .max, reading: Self.wholeLimit) }

    private func lines(perValue lineLimit: Int, reading count: Int = QuotedValue.readLimit) -> [String] {
        var layout = QuestionLayout()
        for part in parts {
            switch part {
            case .words(let words): layout.append(words: words)
            case .value(let value): layout.append(QuotedValue(value, reading: count), lineLimit: lineLimit)
            }
        }
        return layout.lines
    }

    /// The question in one line, without characters that change the text direction.
    package var line: String {
        let texts = parts.map { part in
            switch part {
            case .words(let words): words.replacing(each: "\n", with: " ")
            case .value(let value): QuotedValue(value).line
            }
        }
        return texts.joined()
    }
}

/// The reason why a text is not a valid question.
package enum QuestionError: Error, Hashable, CustomStringConvertible {
    /// A brace is neither doubled nor part of `{}`.
    case loneBrace
    /// The numbers of values and of `{}` differ.
    case otherCount(placeholders: Int, values: Int)

    /// The reason.
    package var description: String {
        switch self {
        case .loneBrace: "a brace of the text is written '{{' or '}}', and '{}' stands for a value"
        case .otherCount(let placeholders, let values):
            "the text has \(placeholders) '{}', but the number of values is \(values)"
        }
    }
}

/// The lines of a question.
///
/// The layout breaks the lines itself, because not every dialog tool breaks a line within a long word.
struct QuestionLayout {
    /// The width of a line, in halves of a typical letter, and the excess that is allowed if a line ends with a quote.
    private static let (width, slack) = (112, 8)
    /// The start of a line that continues a value.
    private static let arrow = "↳ "
    /// The characters that keep the text direction of a value from changing that of the surrounding text.
    private static let isolate = (start: "\u{2066}", end: "\u{2069}")

    private struct Glyph {
        let text: String
        let width: Int
        let isValue: Bool

        /// Whether it stands for a line end in a value.
        var isLineEnd: Bool { isValue && text == QuotedValue.lineEnd }
    }

    private var finished: [[Glyph]] = []
    private var current: [Glyph] = []

    /// Appends text of the configuration; its line breaks are kept.
    mutating func append(words: String) {
        for scalar in words.unicodeScalars {
            if scalar == "\n" {
                endLine()
            } else {
                append(Glyph(text: String(scalar), width: scalar.width, isValue: false))
            }
        }
    }

    /// Appends a value, cut at a number of lines.
    mutating func append(_ value: QuotedValue, lineLimit: Int) {
        if value.pieces.isEmpty { return append(words: QuotedValue.nothing) }
        append(words: "“")
        let firstLine = finished.count
        var shownCount = 0
        for piece in value.pieces {
            let (count, line) = (finished.count, current)
            append(piece)
            guard finished.count - firstLine < lineLimit else {
                finished.removeSubrange(count...)
                current = line
                break
            }
            shownCount += piece.count
        }
        append(words: value.ending(after: shownCount))
    }

    private mutating func append(_ piece: QuotedValue.Piece) {
        if current.last?.isLineEnd == true { endLine() }
        let count = piece.text.unicodeScalars.count
        append(Glyph(text: piece.text, width: count > 1 ? 5 * count / 2 : piece.scalar.width, isValue: true))
    }

    /// The lines.
    var lines: [String] {
        (finished + [current]).map { glyphs in
            var line = glyphs.first?.isValue == true ? Self.arrow : ""
            // Most values contain no character that needs it.
            let isIsolated = glyphs.contains { $0.isValue && !$0.text.utf8.allSatisfy { $0 < 0x80 } }
            var isInValue = false
            for glyph in glyphs {
                if glyph.isValue != isInValue, isIsolated { line += isInValue ? Self.isolate.end : Self.isolate.start }
                isInValue = glyph.isValue
                line += glyph.text
            }
            return isInValue && isIsolated ? line + Self.isolate.end : line
        }
    }

    private mutating func append(_ glyph: Glyph) {
        let isClosing = !glyph.isValue && glyph.text != "“"
        let limit = Self.width + (isClosing ? Self.slack : 0)
        // A space at the end of a line needs no room.
        if glyph.width > 0, glyph.text != " ", current.reduce(glyph.width, { $0 + $1.width }) > limit { breakLine() }
        current.append(glyph)
    }

    /// Breaks the line at its last space if that is in the second half, otherwise at the end.
    private mutating func breakLine() {
        var rest: [Glyph] = []
        if let space = current.lastIndex(where: { $0.text == " " }), space > current.count / 2 {
            rest = Array(current[(space + 1)...])
            current.removeLast(rest.count)
        } else if current.last?.text == "“", current.last?.isValue == false {
            rest = current.suffix(1)
            current.removeLast()
        }
        endLine()
        current = rest
    }

    private mutating func endLine() {
        finished.append(current)
        current = []
    }
}

extension Unicode.Scalar {
    /// The maximum width of the character as far as it can be predicted, in halves of a typical letter.
    fileprivate var width: Int {
        if properties.generalCategory == .nonspacingMark { return 0 }
        switch value {
        case ..<0x80: return "MWm@%w".unicodeScalars.contains(self) ? 3 : 2
        case ..<0x590: return 3
        default: return 4
        }
    }
}

/// A value in a question: quoted, cut to a maximum length, and free of invisible characters and of characters that
/// imitate the surrounding text.
struct QuotedValue {
    /// The text for an empty value, which no value can imitate, because all others are in quotes.
    static let nothing = "(empty)"
    /// The sign for a line end.
    static let lineEnd = "⏎"
    /// The maximum number of characters in one line of text.
    private static let lineLimit = 200
    /// The maximum number of characters that are read: more do not fit into the lines of a question that cuts values.
    static let readLimit = 4096
    /// The maximum number of combining marks on a character.
    private static let markLimit = 3

    /// The displayed form of a character: the character itself, or its code.
    struct Piece {
        let text: String
        /// The first Unicode scalar of the text.
        let scalar: Unicode.Scalar
        /// The number of Unicode scalars that it stands for.
        let count: Int
    }

    /// The text between the quotes.
    private(set) var pieces: [Piece] = []
    /// The number of Unicode scalars of the value.
    private let count: Int

    /// Quotes a value, of which at most a number of characters are read.
    init(_ value: String, reading limit: Int = readLimit) {
        count = value.unicodeScalars.count
        let scalars = Array(value.unicodeScalars.prefix(limit))
        var index = 0
        var markCount = Self.markLimit
        while index < scalars.count {
            let scalar = scalars[index]
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            let last = index > 0 ? scalars[index - 1] : nil
            let isLineEnd = scalar == "\r" && next == "\n"
            markCount = scalar.isMark ? markCount + 1 : 0
            var text = scalar.shown
            if isLineEnd { text = Self.lineEnd }
            if scalar == " ", last == nil || last == " " || next == nil { text = "␣" }
            // Two of them look like the quote at the end.
            let isDoubled = last?.isSingleQuote == true || next?.isSingleQuote == true
            if !scalar.isASCII, scalar.isSingleQuote, isDoubled { text = scalar.notation }
            if scalar.isMark, markCount > Self.markLimit { text = scalar.notation }
            // A combining mark needs a base character that is shown as itself.
            if text.unicodeScalars.first != scalar || scalar == " " { markCount = Self.markLimit }
            let width = isLineEnd ? 2 : 1
            pieces.append(Piece(text: text, scalar: text.unicodeScalars.first ?? scalar, count: width))
            index += width
        }
    }

    /// Returns the text after a number of characters: the closing quote, and how much is shown if the value is cut.
    func ending(after shownCount: Int) -> String {
        shownCount == count ? "”" : "…” (the first \(shownCount) of \(count) characters)"
    }

    /// The value in quotes on one line, cut after 200 characters; a code counts with its written length.
    var line: String {
        if pieces.isEmpty { return Self.nothing }
        var text = ""
        var shownCount = 0
        for piece in pieces {
            guard text.unicodeScalars.count + piece.text.unicodeScalars.count <= Self.lineLimit else { break }
            text += piece.text
            shownCount += piece.count
        }
        return "“\(text)\(ending(after: shownCount))"
    }
}

extension Unicode.Scalar {
    /// The character, or its replacement.
    fileprivate var shown: String {
        if self == "\n" { return QuotedValue.lineEnd }
        return isPlain ? String(self) : notation
    }

    /// Whether the character combines with another one and has no width of its own.
    fileprivate var isMark: Bool { properties.generalCategory == .nonspacingMark }

    /// Whether two of this character look like a double quote.
    fileprivate var isSingleQuote: Bool {
        switch self {
        case "'", "`", "´", "ʹ", "ʻ", "ʼ", "ʽ", "ˈ", "ˊ", "ˋ", "‘", "’", "‚", "‛", "′", "‵", "＇", "｀", "׳": true
        default: false
        }
    }

    /// Whether the character is visible and cannot be mistaken for another one.
    private var isPlain: Bool {
        if isASCII { return value >= 0x20 && value != 0x7F }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator, .enclosingMark:
            return false
        default: return !properties.isDefaultIgnorableCodePoint && !isMisleading
        }
    }

    /// Whether the character imitates the decoration of values, is invisible, or is as wide as many letters.
    private var isMisleading: Bool {
        switch self {
        // Double quotes, and similar characters.
        case "“", "”", "„", "‟", "″", "‴", "‶", "‷", "⁗", "〃", "〝", "〞", "〟", "＂", "ʺ", "ˮ", "˝", "״", "❝", "❞", "⹂":
            true
        case "\u{1F676}"..."\u{1F678}": true
        // The symbols for a line break, a space, and a continued line.
        case "⏎", "␣", "↳": true
        // Blank characters that Unicode classifies as letters, marks or symbols, and the object replacement character.
        case "\u{2800}", "\u{1D159}", "\u{FFFC}": true
        // Ligatures of whole sentences, long dashes, and cuneiform signs.
        case "\u{FDF0}"..."\u{FDFF}", "\u{2E3A}", "\u{2E3B}", "\u{12000}"..."\u{1254F}": true
        default: false
        }
    }
}
