/// Reads the keys of a mapping, records which keys were requested, and reports all others as unknown.
///
/// Request all keys that are allowed before giving up because of a fault: `finish` reports any other key as unknown. A
/// missing value and an invalid value are both `nil`; in the latter case the fault is already reported.
package final class MappingReader {
    /// The start of the mapping.
    package let place: Place
    /// The description of the mapping, with an article: `a route`.
    package let what: String
    /// The list to which faults are reported.
    package let faults: FaultList

    private let members: [Node.Member]
    /// The requested keys in the order of the requests, with duplicates.
    private var askedKeys: [String] = []
    private var refusedKeys: [String] = []

    /// Creates a reader, or reports that the value is not a mapping.
    ///
    /// - Parameters:
    ///   - node: The mapping.
    ///   - what: The description of the mapping, with an article, for messages.
    ///   - faults: The list to which faults are reported.
    package init?(_ node: Node, of what: String, faults: FaultList) {
        guard let members = node.members(of: what, faults) else { return nil }
        self.members = members
        self.what = what
        self.faults = faults
        place = node.place
        // A route is asked for some thirty.
        askedKeys.reserveCapacity(32)
    }

    /// Returns the value of a key.
    package func node(_ key: String) -> Node? { member(key)?.value }

    /// Returns the value of a required key; reports a fault if it is missing.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - hint: The end of the message.
    /// - Returns: The value, or nil after a fault.
    package func requiredNode(_ key: String, hint: String = "") -> Node? {
        if let value = node(key) { return value }
        faults.report("expected the key \(key.quoted) in \(what)\(hint)", at: place)
        return nil
    }

    /// Returns the place of a key, for faults that concern the key.
    package func keyPlace(_ key: String) -> Place? { member(key)?.place }

    /// Reports a key that is not allowed here.
    package func refuse(_ key: String, _ message: String) {
        guard let member = members.first(where: { $0.key == key }) else { return }
        refusedKeys.append(key)
        faults.report(message, at: member.place)
    }

    /// Warns about a key of an earlier version, which has no effect any more.
    package func warn(ofFormerKey key: String) {
        guard let member = members.first(where: { $0.key == key }) else { return }
        refusedKeys.append(key)
        faults.warn("\(key.quoted) has no effect any more", at: member.place)
    }

    /// Reports all keys that were not requested, each with the closest requested key.
    ///
    /// - Parameter belongs: Returns where a key belongs that is valid elsewhere.
    package func finish(belongs: (String) -> String? = { _ in nil }) {
        for member in unknownMembers {
            let keys = askedKeys.reduce(into: [String]()) { keys, key in if !keys.contains(key) { keys.append(key) } }
            let expected = keys.isEmpty ? "no keys" : keys.alternatives
            let suggestion = member.key.suggestion(among: keys, areKeys: true)
            let place = belongs(member.key).map { ": \($0)" }
            let hint = place ?? (suggestion.isEmpty ? "; expected \(expected)" : suggestion)
            faults.report("unknown key \(member.key.quoted) in \(what)\(hint)", at: member.place)
        }
    }

    /// The members whose keys were not requested.
    package var unknownMembers: [Node.Member] {
        members.filter { !askedKeys.contains($0.key) && !refusedKeys.contains($0.key) }
    }

    private func member(_ key: String) -> Node.Member? {
        askedKeys.append(key)
        return members.first { $0.key == key }
    }
}

extension MappingReader {
    /// Reads a string.
    package func string(_ key: String) -> String? {
        node(key)?.string(faults)
    }

    /// Reads `true` or `false`.
    package func bool(_ key: String) -> Bool? {
        node(key)?.bool(faults)
    }

    /// Reads an integer.
    package func integer(_ key: String, in range: ClosedRange<Int> = .min ... .max) -> Int? {
        node(key)?.integer(in: range, faults)
    }

    /// Reads a duration.
    package func duration(_ key: String, in range: ClosedRange<Duration>? = nil) -> Duration? {
        node(key)?.duration(in: range, faults)
    }

    /// Reads a number of bytes.
    package func byteCount(_ key: String, in range: ClosedRange<Int>? = nil) -> Int? {
        node(key)?.byteCount(in: range, faults)
    }

    /// Reads one of a set of words.
    package func choice(_ key: String, of words: [String]) -> String? {
        node(key)?.choice(of: words, faults)
    }

    /// Reads a case of an enumeration by its raw value.
    package func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ key: String,
        of type: Choice.Type
    ) -> Choice? {
        node(key)?.choice(of: type, faults)
    }

    /// Reads a mapping with a fixed set of keys; the caller must finish it.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - what: The description of the mapping, with an article.
    ///   - example: An example, for a value that is not a mapping.
    /// - Returns: The reader; nil without the key or after a fault.
    package func mapping(_ key: String, of what: String, such example: String? = nil) -> MappingReader? {
        guard let node = node(key) else { return nil }
        if let example, node.members(such: example, what, faults) == nil { return nil }
        return MappingReader(node, of: what, faults: faults)
    }

    /// Reads a mapping whose keys the user chooses.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - example: An example, for a value that is not a mapping.
    /// - Returns: The members in the order of the file; nil without the key or after a fault.
    package func members(_ key: String, such example: String? = nil) -> [Node.Member]? {
        node(key)?.members(such: example, nil, faults)
    }
}
