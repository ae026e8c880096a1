/// A value as the user sees it in a question: in quotes, cut to a length, with nothing in it that is invisible or looks
/// like what is around it.
struct QuotedValue {
    /// How many characters a value shows at most.
    static let usualLimit = 200
    /// How many marks may stand on one character.
    private static let markLimit = 3

    /// What is shown for a character: itself, or its code.
    struct Piece {
        let text: String
        /// The first character of the text.
        let scalar: Unicode.Scalar
    }

    /// What stands between the quotes.
    private(set) var pieces: [Piece] = []
    /// What stands behind the quotes: how much is shown, if that is not all.
    let note: String

    /// Quotes a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - limit: How many characters it shows at most; the code of one counts as it is written.
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
            // A mark needs a character that is shown as itself.
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

    /// The value in its quotes, and what stands behind them.
    var text: String { "“\(pieces.map(\.text).joined())”\(note)" }
}

extension Unicode.Scalar {
    /// The character, or what is shown in its place.
    fileprivate var shown: String {
        if self == "\n" { return "⏎" }
        return isPlain ? String(self) : code
    }

    /// The code of the character: `<U+202E>`.
    fileprivate var code: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "<U+\(String(repeating: "0", count: max(4 - digits.count, 0)))\(digits)>"
    }

    /// Whether the character stands on another one and takes no room of its own.
    fileprivate var isMark: Bool { properties.generalCategory == .nonspacingMark }

    /// Whether two of the character look like a double quote.
    fileprivate var isSingleQuote: Bool {
        switch self {
        case "'", "`", "´", "ʹ", "ʻ", "ʼ", "ʽ", "ˈ", "ˊ", "ˋ", "‘", "’", "‚", "‛", "′", "‵", "＇", "｀", "׳": true
        default: false
        }
    }

    /// Whether the character can be seen, and is nothing but itself.
    private var isPlain: Bool {
        if isASCII { return value >= 0x20 && value != 0x7F && self != "\"" }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator, .enclosingMark:
            return false
        default: return !properties.isDefaultIgnorableCodePoint && !isMisleading
        }
    }

    /// Whether the character looks like what a question has around values, like nothing, or takes the room of many.
    private var isMisleading: Bool {
        switch self {
        // Quotes that are double, and what looks like them.
        case "“", "”", "„", "‟", "″", "‴", "‶", "‷", "⁗", "〃", "〝", "〞", "〟", "＂", "ʺ", "ˮ", "˝", "״", "❝", "❞", "⹂":
            true
        case "\u{1F676}"..."\u{1F678}": true
        // What stands for a line end, a space, and a line that goes on.
        case "⏎", "␣", "↳": true
        // Blanks that are letters, signs or symbols to Unicode, and what stands for an object.
        case "\u{2800}", "\u{1D159}", "\u{FFFC}": true
        // Ligatures of whole sentences, long dashes, and signs of cuneiform.
        case "\u{FDF0}"..."\u{FDFF}", "\u{2E3A}", "\u{2E3B}", "\u{12000}"..."\u{1254F}": true
        default: false
        }
    }
}
