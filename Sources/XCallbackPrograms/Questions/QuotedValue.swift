/// A value in a question: quoted, cut to a maximum length, and free of invisible characters and of characters that
/// imitate the surrounding text.
struct QuotedValue {
    /// The default maximum number of characters of a value.
    static let usualLimit = 200
    /// The maximum number of combining marks on a character.
    private static let markLimit = 3

    /// The displayed form of a character: the character itself, or its code.
    struct Piece {
        let text: String
        /// The first Unicode scalar of the text.
        let scalar: Unicode.Scalar
    }

    /// The text between the quotes.
    private(set) var pieces: [Piece] = []
    /// The text after the quotes: how much is shown, if the value is cut.
    let note: String

    /// Quotes a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - limit: The maximum number of characters; a code counts with its written length.
    init(_ value: String, limit: Int = usualLimit) {
        let scalars = Array(value.unicodeScalars)
        var shownCount = 0
        var width = 0
        var markCount = Self.markLimit
        while shownCount < scalars.count {
            let scalar = scalars[shownCount]
            let next = shownCount + 1 < scalars.count ? scalars[shownCount + 1] : nil
            let last = shownCount > 0 ? scalars[shownCount - 1] : nil
            let isLineEnd = scalar == "\r" && next == "\n"
            markCount = scalar.isMark ? markCount + 1 : 0
            var text = scalar.shown
            if isLineEnd { text = "⏎" }
            if scalar == " ", last == nil || last == " " || next == nil { text = "␣" }
            if scalar.isSingleQuote, last?.isSingleQuote == true || next?.isSingleQuote == true { text = scalar.code }
            if scalar.isMark, markCount > Self.markLimit { text = scalar.code }
            // A combining mark needs a base character that is shown as itself.
            if text.unicodeScalars.first != scalar || scalar == " " { markCount = Self.markLimit }
            let count = text.unicodeScalars.count
            guard width + count <= limit else { break }
            width += count
            pieces.append(Piece(text: text, scalar: text.unicodeScalars.first ?? scalar))
            shownCount += isLineEnd ? 2 : 1
        }
        note = shownCount < scalars.count ? " (the first \(shownCount) of \(scalars.count) characters)" : ""
        if !note.isEmpty { pieces.append(Piece(text: "…", scalar: "…")) }
    }

    /// The value in quotes, followed by the note.
    var text: String { "“\(pieces.map(\.text).joined())”\(note)" }
}

extension Unicode.Scalar {
    /// The character, or its replacement.
    fileprivate var shown: String {
        if self == "\n" { return "⏎" }
        return isPlain ? String(self) : code
    }

    /// The code of the character: `<U+202E>`.
    fileprivate var code: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "<U+\(String(repeating: "0", count: max(4 - digits.count, 0)))\(digits)>"
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
        if isASCII { return value >= 0x20 && value != 0x7F && self != "\"" }
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
