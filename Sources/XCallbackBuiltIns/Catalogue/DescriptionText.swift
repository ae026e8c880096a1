import XCallbackConfiguration

extension MappingReader {
    /// Reads a text for people: it has no character that they do not see, as programs and models would read that.
    ///
    /// - Parameters:
    ///   - key: Its key.
    ///   - limit: How many characters it may have.
    ///   - hasLines: Whether it may have several lines.
    /// - Returns: The text without blanks around it, or nil without the key or after a fault.
    func description(_ key: String, limit: Int, hasLines: Bool = true) -> String? {
        guard let node = node(key), let written = node.string(faults) else { return nil }
        let text = written.withoutBlanksAround
        if text.unicodeScalars.allSatisfy({ $0.value == 0x200C || $0.value == 0x200D || $0.properties.isWhitespace }) {
            faults.report("expected some text", at: node.place)
        } else if text.unicodeScalars.count > limit {
            faults.report(
                "expected at most \(limit) characters, found \(text.unicodeScalars.count)", at: node.place)
        } else if !hasLines, text.unicodeScalars.contains("\n") {
            faults.report("expected one line", at: node.place)
        } else if let scalar = text.unicodeScalars.first(where: { $0 != "\n" && $0.isHidden }) {
            faults.report(
                "the text holds U+\(scalar.number), which people do not see: leave it out", at: node.place)
        } else {
            return text
        }
        return nil
    }
}

extension Unicode.Scalar {
    /// Whether nobody sees it: a control, a mark of direction or format, a tag, a separator of lines or paragraphs, or a filler.
    ///
    /// Joiners and the variation selectors of emoji are none of these: scripts and emoji need them.
    fileprivate var isHidden: Bool {
        switch value {
        case 0x200C, 0x200D, 0xFE0E, 0xFE0F: return false
        case 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0, 0xFE00...0xFE0D, 0xE0100...0xE01EF: return true
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    /// Its number, in at least four hexadecimal digits.
    fileprivate var number: String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
    }
}

extension String {
    fileprivate var withoutBlanksAround: String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\n" }
        let scalars = unicodeScalars
        guard let start = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(scalars[start...last])
    }
}
