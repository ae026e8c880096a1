extension String {
    /// The text in single quotes for a message: with control characters made visible, and cut if long.
    package var quoted: String {
        let limit = 60
        let cut = prefix(limit)
        let end = cut.endIndex < endIndex ? "…" : ""
        return "'\(String(cut).visible)\(end)'"
    }

    /// The text with invisible characters written as `<U+001B>`.
    var visible: String {
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
        var result = ""
        for character in self { result += character.visible }
        return result
    }
}

extension Character {
    /// The character as displayed in an excerpt: invisible characters as `<U+001B>`, and without long sequences of accents.
    var visible: String {
        // Emoji of several parts have up to eleven scalars; a longer sequence consists of accents.
        unicodeScalars.prefix(16).map { $0.isHidden ? $0.notation : String($0) }.joined()
    }

    /// The width of the displayed form in terminal columns.
    ///
    /// `wcwidth` cannot be used: in the C locale, which services use, it supports only ASCII.
    var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        let notations = unicodeScalars.prefix(16).filter(\.isHidden).map(\.notation.utf8.count).reduce(0, +)
        return notations + (first.isHidden ? 0 : columns(from: first))
    }

    /// Returns the width of the character in columns, if it is displayed as itself.
    private func columns(from first: Unicode.Scalar) -> Int {
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        if first.isWide || unicodeScalars.contains("\u{FE0F}") { return 2 }
        return 1
    }
}

extension Unicode.Scalar {
    /// Whether the character is invisible: a control, a direction or format mark, a tag, a line or paragraph separator,
    /// or a filler.
    ///
    /// Joiners and the variation selectors of emoji and of Mongolian do not count: scripts and emoji need them.
    package var isHidden: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        switch value {
        case 0x180B...0x180D, 0x180F, 0x200C, 0x200D, 0xFE0E, 0xFE0F: return false
        case 0x2800: return true
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return properties.isDefaultIgnorableCodePoint
        }
    }

    /// The code point, such as `U+001B`.
    package var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits
    }

    /// The scalar as `<U+001B>`.
    package var notation: String { "<\(codePoint)>" }

    /// Whether terminals display it in two columns (East Asian Wide or Fullwidth, or an emoji by default).
    fileprivate var isWide: Bool {
        guard value >= 0x1100 else { return false }
        return properties.isEmojiPresentation || Self.wideRanges.contains { $0.contains(value) }
    }

    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
