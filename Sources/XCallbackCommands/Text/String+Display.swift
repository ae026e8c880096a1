import XCallbackConfiguration

extension String {
    /// The text with what nobody sees as `<U+001B>`, so that a message cannot steer a terminal or end its line, turn around
    /// what is beside it, or hold what is not seen.
    ///
    /// Joiners stay: scripts and emoji need them.
    package var withVisibleControls: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            if scalar.isHidden { result += scalar.notation } else { result.unicodeScalars.append(scalar) }
        }
    }

    /// The text with what nobody sees as `<U+001B>`, but for the ends of its lines.
    var withVisibleLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).withVisibleControls }
            .joined(separator: "\n")
    }

    /// The text with blanks at its end, so that it is at least so wide.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }
}
