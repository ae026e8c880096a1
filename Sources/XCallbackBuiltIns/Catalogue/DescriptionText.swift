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
        if text.isEmpty {
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
    /// Whether it is a control, changes the direction of others, or is a tag or a separator of lines or paragraphs.
    ///
    /// Joiners are none of these: scripts and emoji need them.
    fileprivate var isHidden: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0xE0000...0xE007F: true
        default: false
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
