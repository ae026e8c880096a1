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
    }

    private var finished: [[Glyph]] = []
    private var current: [Glyph] = []

    /// Appends text of the configuration; its line breaks are kept.
    mutating func append(words: String) {
        for scalar in words.unicodeScalars {
            if scalar == "\n" {
                finished.append(current)
                current = []
            } else {
                append(Glyph(text: String(scalar), width: scalar.width, isValue: false))
            }
        }
    }

    /// Appends a value.
    mutating func append(_ value: QuotedValue) {
        append(words: "“")
        for piece in value.pieces {
            let count = piece.text.unicodeScalars.count
            append(Glyph(text: piece.text, width: count > 1 ? 5 * count / 2 : piece.scalar.width, isValue: true))
        }
        append(words: "”\(value.note)")
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
        finished.append(current)
        current = rest
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
