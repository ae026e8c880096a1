extension String {
    /// The text with its control characters as `<U+001B>`, so that a message cannot steer a terminal or end its line, turn
    /// around what is beside it, or hold what nobody sees.
    ///
    /// Joiners stay: scripts and emoji need them.
    package var withVisibleControls: String {
        var result = ""
        for scalar in unicodeScalars {
            guard scalar.isHidden else {
                result.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            result += "<U+\(String(repeating: "0", count: max(4 - digits.count, 0)))\(digits)>"
        }
        return result
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

extension Unicode.Scalar {
    /// Whether it steers what shows a text, or shows nothing itself.
    fileprivate var isHidden: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: value != 0x200C && value != 0x200D
        default: false
        }
    }
}
