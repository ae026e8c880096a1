/// The user's choices of applications for types: the text of a `mimeapps.list`.
///
/// Only what is asked for is changed; every other byte stays. What ``prefer(_:for:)`` writes in front of another
/// application's name, ``drop(_:for:)`` takes away again, so that the text is what it was.
package struct MimeDefaults: Hashable {
    private static let section = "[Default Applications]"

    private var lines: [String]

    /// Reads the text of a file; an empty one if there is no file.
    package init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // What follows the last line's end.
        if lines.last == "" { lines.removeLast() }
    }

    /// The contents of the file; empty if nothing is left.
    package var text: String { lines.map { "\($0)\n" }.joined() }

    /// Whether an application is among those of a type.
    ///
    /// - Parameters:
    ///   - entry: The name of its desktop entry.
    ///   - type: The MIME type.
    /// - Returns: Whether it is.
    package func contains(_ entry: String, for type: String) -> Bool {
        guard let index = index(of: type) else { return false }
        return value(of: index).split(separator: ";").contains { $0 == entry }
    }

    /// Puts an application before all others.
    ///
    /// - Parameters:
    ///   - entry: The name of its desktop entry.
    ///   - type: The MIME type.
    package mutating func prefer(_ entry: String, for type: String) {
        drop(entry, for: type)
        if let index = index(of: type) {
            lines[index] = "\(key(of: index))=\(entry);\(value(of: index))"
        } else {
            let header = lines.firstIndex(of: Self.section) ?? appendSection()
            lines.insert("\(type)=\(entry);", at: header + 1)
        }
    }

    /// Takes an application away, if it is among those of a type.
    ///
    /// - Parameters:
    ///   - entry: The name of its desktop entry.
    ///   - type: The MIME type.
    package mutating func drop(_ entry: String, for type: String) {
        guard let index = index(of: type) else { return }
        let value = value(of: index)
        var names = value.split(separator: ";", omittingEmptySubsequences: false)
        guard let position = names.firstIndex(where: { $0 == entry }) else { return }
        names.remove(at: position)
        if names.allSatisfy(\.isEmpty) {
            lines.remove(at: index)
            removeEmptySection()
        } else {
            lines[index] = "\(key(of: index))=\(names.joined(separator: ";"))"
        }
    }

    /// Where the applications of a type stand.
    private func index(of type: String) -> Int? {
        guard let header = lines.firstIndex(of: Self.section) else { return nil }
        for index in lines.indices.dropFirst(header + 1) {
            if lines[index].hasPrefix("[") { return nil }
            if key(of: index).trimmed == type { return index }
        }
        return nil
    }

    private func key(of index: Int) -> Substring {
        lines[index].prefix { $0 != "=" }
    }

    private func value(of index: Int) -> Substring {
        lines[index].drop { $0 != "=" }.dropFirst()
    }

    /// Appends the section, behind an empty line, and tells where it is.
    private mutating func appendSection() -> Int {
        if !lines.isEmpty { lines.append("") }
        lines.append(Self.section)
        return lines.count - 1
    }

    /// Removes the section if it is at the end and empty, as ``appendSection()`` has made it.
    private mutating func removeEmptySection() {
        guard lines.last == Self.section else { return }
        lines.removeLast()
        if lines.last == "" { lines.removeLast() }
    }
}

extension Substring {
    /// The text without blanks around it.
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
