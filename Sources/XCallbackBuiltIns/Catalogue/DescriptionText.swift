import XCallbackConfiguration
import XCallbackWire

extension MappingReader {
    /// Reads a text for people, without invisible characters, because programs and models would read those.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - limit: The maximum number of characters.
    ///   - hasLines: Whether the text can have several lines.
    /// - Returns: The text without surrounding blanks; nil if the key is missing, or after a fault.
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
        } else if !faults.reportHidden(in: text, "text", except: "\n", at: node.place) {
            return text
        }
        return nil
    }

    /// Reads one value or a list of values that people and models read.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - kept: The invisible characters that are allowed.
    /// - Returns: The values; nil if the key is missing, or if it is not a list of texts.
    func visibleStrings(_ key: String, except kept: String = "") -> [String]? {
        guard let node = node(key) else { return nil }
        for element in node.elements {
            guard case .scalar(let scalar) = element.content else { continue }
            faults.reportHidden(in: scalar.text, "value", except: kept, at: element.place)
        }
        return node.strings(faults)
    }
}

extension FaultList {
    /// Reports an invisible character, because programs and models would read it.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - what: The noun for the text in the message.
    ///   - kept: The invisible characters that are allowed.
    ///   - place: The place of the text.
    /// - Returns: Whether the text has an invisible character.
    @discardableResult
    func reportHidden(in text: String, _ what: String, except kept: String = "", at place: Place) -> Bool {
        // A fast path for visible ASCII, which covers nearly all texts.
        if !text.hasByte(where: { !(0x20...0x7E).contains($0) }) { return false }
        guard let scalar = text.unicodeScalars.first(where: { $0.isHidden && !kept.unicodeScalars.contains($0) })
        else { return false }
        report("the \(what) holds \(scalar.codePoint), which is invisible: remove it", at: place)
        return true
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
