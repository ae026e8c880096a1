import XCallbackConfiguration

extension String {
    /// The text with invisible characters as `<U+001B>`, so that a message cannot control a terminal, end its line, reverse the
    /// text around it, or hide characters.
    ///
    /// Joiners stay, because scripts and emoji need them.
    package var withVisibleControls: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            if scalar.isHidden { result += scalar.notation } else { result.unicodeScalars.append(scalar) }
        }
    }

    /// The text with invisible characters as `<U+001B>`, except line endings.
    var withVisibleLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).withVisibleControls }
            .joined(separator: "\n")
    }

    /// The text with invisible characters as `<U+001B>`, except line endings, after which the text is indented.
    package var withIndentedLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).withVisibleControls }
            .joined(separator: "\n    ")
    }

    /// Returns the text, padded with blanks to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }
}
