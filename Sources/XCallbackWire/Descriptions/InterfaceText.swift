/// Reads the words of a description in order, and the comments between them.
struct InterfaceText {
    private let characters: [Unicode.Scalar]
    private(set) var position = 0
    /// The lines of the comments that were skipped since the last call of `takeComment`.
    private var comment: [String] = []

    init(_ text: String) {
        characters = Array(text.unicodeScalars)
    }

    /// Whether only blanks and comments are left, which are skipped.
    mutating func isAtEnd() -> Bool {
        skipBlanks()
        return position == characters.count
    }

    /// Returns the comment directly before the next word.
    mutating func takeComment() -> [String] {
        skipBlanks()
        defer { comment = [] }
        return comment
    }

    /// Reads the next word of letters and other allowed characters; empty if there is none.
    mutating func word(also allowed: Unicode.Scalar...) -> String {
        skipBlanks()
        let start = position
        while let character, isLetter(character) || isDigit(character) || allowed.contains(character) { position += 1 }
        var word = String.UnicodeScalarView()
        word.append(contentsOf: characters[start..<position])
        return String(word)
    }

    /// Skips a sign, if it is next.
    mutating func takes(_ sign: String) -> Bool {
        skipBlanks()
        guard characters[position...].starts(with: sign.unicodeScalars) else { return false }
        position += sign.unicodeScalars.count
        return true
    }

    /// Skips the end of a line, before which only blanks and a comment are allowed, or the end of the text.
    mutating func takesLineEnd() -> Bool {
        while let character, isBlank(character) { position += 1 }
        if character == "#" { _ = skipComment() }
        comment = []
        guard let character else { return true }
        guard isLineEnd(character) else { return false }
        position += 1
        return true
    }

    /// Creates an error with the line and the column of a place.
    func error(_ reason: InterfaceError.Reason, at place: Int? = nil) -> InterfaceError {
        var line = 1
        var column = 1
        let place = place ?? position
        for index in 0..<place {
            let isPair = characters[index] == "\r" && index + 1 < characters.count && characters[index + 1] == "\n"
            if isLineEnd(characters[index]), !isPair {
                line += 1
                column = 1
            } else {
                column += 1
            }
        }
        return InterfaceError(reason: reason, line: line, column: column)
    }

    private var character: Unicode.Scalar? { position < characters.count ? characters[position] : nil }

    private mutating func skipBlanks() {
        while let character {
            if character == "#" {
                comment.append(skipComment())
            } else if isBlank(character) || isLineEnd(character) {
                position += 1
            } else {
                return
            }
        }
    }

    /// Skips a comment up to the end of its line; returns its text without the `#` and the following blank.
    private mutating func skipComment() -> String {
        position += 1
        if character == " " { position += 1 }
        var text = String.UnicodeScalarView()
        while let character, !isLineEnd(character) {
            text.append(character)
            position += 1
        }
        return String(text)
    }
}

func isLetter(_ character: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(character) || ("A"..."Z").contains(character)
}

func isDigit(_ character: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(character)
}

private func isLineEnd(_ character: Unicode.Scalar) -> Bool {
    character == "\n" || character == "\r" || character == "\u{2028}" || character == "\u{2029}"
}

private func isBlank(_ character: Unicode.Scalar) -> Bool {
    switch character {
    case " ", "\t", "\u{A0}", "\u{FEFF}", "\u{1680}", "\u{180E}", "\u{2000}"..."\u{200A}", "\u{202F}", "\u{205F}",
        "\u{3000}":
        true
    default: false
    }
}
