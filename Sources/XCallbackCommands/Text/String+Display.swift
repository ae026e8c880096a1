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

    /// The text as a shell reads one word.
    var shellWord: String {
        let isPlain = !isEmpty && hasOnlyAlphanumerics(and: "-_./:=+@%,")
        return isPlain ? self : "'\(replacing("'", with: "'\\''"))'"
    }

    /// Whether the text has only letters and digits of ASCII, and some other characters.
    func hasOnlyAlphanumerics(and others: String) -> Bool {
        utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: others.utf8.contains(byte)
            }
        }
    }

    /// The text with blanks at its end, so that it is at least so wide.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }
}
