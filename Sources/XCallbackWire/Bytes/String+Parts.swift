extension StringProtocol {
    /// Whether the text contains another one, byte by byte.
    package func contains(text other: String) -> Bool {
        utf8.position(of: other.utf8) != nil
    }
}

extension String {
    /// Replaces each occurrence of a text, byte by byte.
    ///
    /// - Parameters:
    ///   - part: The text to replace; not empty.
    ///   - other: The replacement.
    /// - Returns: The new text.
    package func replacing(each part: String, with other: String) -> String {
        var result = ""
        var rest = utf8[...]
        while let start = rest.position(of: part.utf8) {
            result += Substring(rest[..<start])
            result += other
            rest = rest[start...].dropFirst(part.utf8.count)
        }
        return result + Substring(rest)
    }
}

extension Collection<UInt8> {
    fileprivate func position(of part: String.UTF8View) -> Index? {
        guard let first = part.first else { return startIndex }
        return indices.first { self[$0] == first && self[$0...].starts(with: part) }
    }
}
