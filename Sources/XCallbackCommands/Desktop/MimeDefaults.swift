/// The user's choices of applications for types: the text of a `mimeapps.list`.
///
/// Changes leave every other byte intact. ``drop(_:for:)`` removes what ``prefer(_:for:)`` has inserted before the name of
/// another application, so that the text is as before.
package struct MimeDefaults: Hashable {
    private static let section = "[Default Applications]"

    private var lines: [String]

    /// Parses the text of a file; empty if there is no file.
    package init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // The text after the last line ending.
        if lines.last == "" { lines.removeLast() }
    }

    /// The contents of the file; empty if nothing remains.
    package var text: String { lines.map { "\($0)\n" }.joined() }

    /// Whether an application is listed for a type.
    ///
    /// - Parameters:
    ///   - entry: The name of its desktop entry.
    ///   - type: The MIME type.
    /// - Returns: Whether it is listed.
    package func contains(_ entry: String, for type: String) -> Bool {
        guard let index = index(of: type) else { return false }
        return value(of: index).split(separator: ";").contains { $0 == entry }
    }

    /// Whether a type has a list.
    package func hasDefault(for type: String) -> Bool { index(of: type) != nil }

    /// Puts an application first in the list of a type.
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

    /// Removes an application from the list of a type, if it is there.
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

    /// The line of a type.
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

    /// Appends the section, after an empty line, and returns its index.
    private mutating func appendSection() -> Int {
        if !lines.isEmpty { lines.append("") }
        lines.append(Self.section)
        return lines.count - 1
    }

    /// Removes the section that ``appendSection()`` has added, if it is at the end and empty.
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
