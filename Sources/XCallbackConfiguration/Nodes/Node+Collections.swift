extension Node {
    /// Whether it is a mapping that has a key.
    package func has(_ key: StaticString) -> Bool {
        isMapping && key.withUTF8Buffer { Members(of: self).find($0.span) } != nil
    }

    /// Reads a list.
    package func items(_ faults: FaultList) -> Items? {
        isList ? Items(of: self) : mismatch(expected: "a list", faults)
    }

    /// Reads a list of texts; a single text is a list of one.
    ///
    /// - Returns: `nil` if one of them is not a text.
    package func strings(_ faults: FaultList) -> [String]? {
        guard case .sequence(let items) = content else {
            return scalarText(expected: "a list of texts", faults).map { [$0] }
        }
        let texts = items.map { $0.string(faults) }
        return texts.contains(nil) ? nil : texts.compactMap(\.self)
    }

    /// Reads a mapping whose keys are names of the user's choice; for one with given keys see ``MappingReader``.
    ///
    /// - Parameters:
    ///   - what: What the mapping is, with an article, for messages; `nil` says no more than “a mapping”.
    ///   - faults: Where faults are reported.
    /// - Returns: The members in the order of the file, or `nil` after a fault.
    package func members(of what: String? = nil, _ faults: FaultList) -> Members? {
        members(such: nil, what, faults)
    }

    /// Reads a mapping, and shows one as it may be written if it is none.
    package func members(such example: String?, _ what: String?, _ faults: FaultList) -> Members? {
        if isMapping { return Members(of: self) }
        let hint = (what.map { " for \($0)" } ?? "") + (example.map { " such as \($0)" } ?? "")
        let found = isNull ? "nothing: indent what belongs to it" : found
        faults.report("expected a mapping\(hint), found \(example == nil ? self.found : found)", at: place)
        return nil
    }
}
