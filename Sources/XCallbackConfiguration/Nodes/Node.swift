/// A value of a configuration file with its place.
package struct Node: Sendable {
    /// The content of a value.
    package indirect enum Content: Sendable {
        /// A scalar, whose type is not determined yet.
        case scalar(Scalar)
        /// A list of values.
        case sequence([Node])
        /// Keys and values in the order of the file, without duplicate keys.
        case mapping([Member])
    }

    /// The text of a scalar; its reader determines the type.
    package struct Scalar: Sendable {
        /// The text without quotes, with escapes resolved.
        package let text: String
        /// Whether it is quoted, a block, or tagged as a string, so that `"null"` is the word.
        package let isQuoted: Bool

        /// Whether it is null: empty, `~` or `null` without quotes, in the three spellings of YAML.
        package var isNull: Bool { !isQuoted && ["", "~", "null", "Null", "NULL"].contains(text) }
    }

    /// A key of a mapping and its value.
    package struct Member: Sendable {
        /// The key.
        package let key: String
        /// The place of the key.
        package let place: Place
        /// The value.
        package let value: Node
    }

    /// The start of the value; values that an alias repeats have the place of the original.
    package let place: Place
    /// The content.
    package let content: Content
}

extension Node {
    /// Whether it is null.
    package var isNull: Bool { if case .scalar(let scalar) = content { scalar.isNull } else { false } }

    /// Whether it is a mapping without keys, like an empty file.
    var isEmptyMapping: Bool { if case .mapping(let members) = content { members.isEmpty } else { false } }

    /// Whether it is a mapping.
    package var isMapping: Bool { if case .mapping = content { true } else { false } }

    /// The elements of a list, or the node itself.
    package var elements: [Node] { if case .sequence(let items) = content { items } else { [self] } }

    /// The description of the value, which follows “found” in a message.
    package var found: String {
        switch content {
        case .scalar(let scalar): scalar.isNull ? "nothing" : scalar.text.quoted
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }

    /// The byte after the elements of a list, which no text has: it is not UTF-8.
    package static let endOfContent: UInt8 = 0xFE

    /// Appends the content of the value to a text, without places: two values with equal texts are equal in any process.
    package func appendContent(to bytes: inout [UInt8]) {
        switch content {
        case .scalar(let scalar):
            bytes.append(UInt8(ascii: scalar.isQuoted ? "'" : "="))
            bytes.append(content: scalar.text)
        case .sequence(let items):
            bytes.append(UInt8(ascii: "["))
            for item in items { item.appendContent(to: &bytes) }
            bytes.append(Self.endOfContent)
        case .mapping(let members):
            bytes.append(UInt8(ascii: "{"))
            for member in members { member.appendContent(to: &bytes) }
            bytes.append(Self.endOfContent)
        }
    }
}

extension Node.Member {
    /// Appends the key and the content of the value to a text, without their places.
    package func appendContent(to bytes: inout [UInt8]) {
        bytes.append(content: key)
        value.appendContent(to: &bytes)
    }
}

extension [UInt8] {
    /// Appends a text, and a byte that no text has: its bytes count, because different bytes can be the same characters.
    package mutating func append(content text: String) {
        append(contentsOf: text.utf8)
        append(0xFF)
    }
}

extension [Node.Member] {
    /// Returns the value of a key.
    package func value(of key: String) -> Node? { first { $0.key == key }?.value }
}

extension Node {
    /// Whether it is a mapping with a key.
    package func has(_ key: String) -> Bool {
        if case .mapping(let members) = content { members.value(of: key) != nil } else { false }
    }

    /// Reads a list.
    package func items(_ faults: FaultList) -> [Node]? {
        if case .sequence(let items) = content { items } else { mismatch(expected: "a list", faults) }
    }

    /// Reads a list of strings; a single string is a list of one.
    ///
    /// - Returns: `nil` if an element is not a string.
    package func strings(_ faults: FaultList) -> [String]? {
        guard case .sequence(let items) = content else {
            return scalarText(expected: "a list of texts", faults).map { [$0] }
        }
        let texts = items.map { $0.string(faults) }
        return texts.contains(nil) ? nil : texts.compactMap(\.self)
    }

    /// Reads a mapping whose keys the user chooses; for a fixed set of keys see ``MappingReader``.
    ///
    /// - Parameters:
    ///   - what: The description of the mapping, with an article, for messages; `nil` for only “a mapping”.
    ///   - faults: The list to which faults are reported.
    /// - Returns: The members in the order of the file; `nil` after a fault.
    package func members(of what: String? = nil, _ faults: FaultList) -> [Member]? {
        members(such: nil, what, faults)
    }

    /// Reads a mapping, and reports an example if the value is not one.
    package func members(such example: String?, _ what: String?, _ faults: FaultList) -> [Member]? {
        if case .mapping(let members) = content { return members }
        let hint = (what.map { " for \($0)" } ?? "") + (example.map { " such as \($0)" } ?? "")
        let found = isNull ? "nothing: indent what belongs to it" : found
        faults.report("expected a mapping\(hint), found \(example == nil ? self.found : found)", at: place)
        return nil
    }
}
