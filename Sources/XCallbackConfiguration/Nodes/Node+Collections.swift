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
