import XCallbackBytes
import XCallbackConfiguration

extension MappingReader {
    /// Reads a text for people: it has no character that they do not see, as programs and models would read that.
    ///
    /// - Parameters:
    ///   - key: Its key.
    ///   - limit: How many characters it may have.
    ///   - hasLines: Whether it may have several lines.
    /// - Returns: The text without blanks around it, or nil without the key or after a fault.
    func description(_ key: StaticString, limit: Int, hasLines: Bool = true) -> String? {
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

    /// Reads a list of values, or one, that people and models read.
    ///
    /// - Parameters:
    ///   - key: Its key.
    ///   - kept: The characters that are not seen, and may be in one.
    /// - Returns: The values; nil without the key, or if it is no list of texts.
    func visibleStrings(_ key: StaticString, except kept: String = "") -> [String]? {
        guard let node = node(key) else { return nil }
        for element in node.elements {
            guard case .scalar(let scalar) = element.content else { continue }
            faults.reportHidden(in: scalar.text, "value", except: kept, at: element.place)
        }
        return node.strings(faults)
    }
}

extension FaultList {
    /// Reports a character that people do not see, as programs and models would read it.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - what: What it is.
    ///   - kept: The characters that may be in it.
    ///   - place: Where it stands.
    /// - Returns: Whether there is one.
    @discardableResult
    func reportHidden(in text: String, _ what: String, except kept: String = "", at place: Place) -> Bool {
        // What people see of ASCII, as nearly all texts are.
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
