/// Reads the keys of one mapping, notes what was asked for, and reports what is left over as unknown keys.
///
/// Ask for every key that may stand there before giving up over one of them: `finish` takes any other for unknown.
/// What is absent and what is faulty are both `nil`; a fault is in the list by then.
package final class MappingReader {
    /// Where the mapping begins.
    package let place: Place
    /// What the mapping is, with an article: `a route`.
    package let what: String
    /// Where faults are reported.
    package let faults: FaultList

    private let members: Node.Members
    /// A mark of each key (``mark(_:)``): most keys that are absent are known so at once.
    private var marks: UInt64 = 0
    /// Which of the first members were asked for; a bit each.
    private var askedMembers: UInt64 = 0
    // Noting one copies no text: a route is asked for two dozen.
    private var askedKeys: [StaticString] = []
    /// Those that the code does not name itself, with the number of the others before them.
    private var askedNames: [(name: String, position: Int)] = []
    private var refusedKeys: [String] = []

    /// Creates a reader, or reports that the value is not a mapping.
    ///
    /// - Parameters:
    ///   - node: The mapping.
    ///   - what: What the mapping is, with an article, for messages.
    ///   - faults: Where faults are reported.
    package init?(_ node: Node, of what: String, faults: FaultList) {
        guard let members = node.members(of: what, faults) else { return nil }
        self.members = members
        self.what = what
        self.faults = faults
        place = node.place
        askedKeys.reserveCapacity(32)
        members.forEachKey { marks |= Self.mark($0) }
    }

    /// Returns the value of a key.
    package func node(_ key: StaticString) -> Node? {
        index(of: key).map { members[valueOf: $0] }
    }

    /// Returns the value of a key that the code does not name itself.
    package func node(named name: String) -> Node? {
        index(ofName: name).map { members[valueOf: $0] }
    }

    /// Returns the value of a key that must be there; reports when it is not.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - hint: The end of the message.
    /// - Returns: The value, or nil after a fault.
    package func requiredNode(_ key: StaticString, hint: String = "") -> Node? {
        if let value = node(key) { return value }
        faults.report("expected the key \(key.description.quoted) in \(what)\(hint)", at: place)
        return nil
    }

    /// Returns where a key stands, for faults that are about the key.
    package func keyPlace(_ key: StaticString) -> Place? {
        index(of: key).map { members[$0].place }
    }

    /// Returns where a key stands that the code does not name itself.
    package func keyPlace(named name: String) -> Place? {
        index(ofName: name).map { members[$0].place }
    }

    /// Reports a key that has a meaning, but not here.
    package func refuse(_ key: String, _ message: String) {
        guard let (index, _) = members.find(key.utf8Span.span) else { return }
        refusedKeys.append(key)
        faults.report(message, at: members[index].place)
    }

    /// Reports every key that nobody asked for, with the nearest one that was.
    ///
    /// - Parameter belongs: Where a key belongs that has a meaning elsewhere.
    package func finish(belongs: (String) -> String? = { _ in nil }) {
        // Nearly always.
        if members.count < UInt64.bitWidth, askedMembers == 1 << members.count - 1 { return }
        let askedKeys = allAskedKeys
        for member in members where !askedKeys.contains(member.key) && !refusedKeys.contains(member.key) {
            let expected = askedKeys.isEmpty ? "no keys" : askedKeys.alternatives
            let suggestion = member.key.suggestion(among: askedKeys, areKeys: true)
            let place = belongs(member.key).map { ": \($0)" }
            let hint = place ?? (suggestion.isEmpty ? "; expected \(expected)" : suggestion)
            faults.report("unknown key \(member.key.quoted) in \(what)\(hint)", at: member.place)
        }
    }

    /// What was asked for, in the order of the first questions.
    private var allAskedKeys: [String] {
        var keys = askedKeys.map(\.description)
        for (name, position) in askedNames.reversed() { keys.insert(name, at: position) }
        var known: Set<String> = []
        return keys.filter { known.insert($0).inserted }
    }

    /// A bit that depends on how a key begins and ends, and on how long it is; those of a route have one each.
    @inline(__always)
    private static func mark(_ key: Span<UInt8>) -> UInt64 {
        if key.isEmpty { return 1 }
        return 1 << UInt64(truncatingIfNeeded: (Int(key[0]) &+ 5 &* key.count &+ 35 &* Int(key[key.count - 1])) & 63)
    }

    /// Where a key stands among the members; nil if it is absent.
    private func index(of key: StaticString) -> Int? {
        askedKeys.append(key)
        return index(of: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount).span)
    }

    private func index(ofName name: String) -> Int? {
        askedNames.append((name, askedKeys.count))
        return index(of: name.utf8Span.span)
    }

    @inline(__always)
    private func index(of key: Span<UInt8>) -> Int? {
        guard marks & Self.mark(key) != 0, let (index, position) = members.find(key)
        else { return nil }
        if position < UInt64.bitWidth { askedMembers |= 1 << position }
        return index
    }
}

extension MappingReader {
    /// Reads a text.
    package func string(_ key: StaticString) -> String? {
        node(key)?.string(faults)
    }

    /// Reads `true` or `false`.
    package func bool(_ key: StaticString) -> Bool? {
        node(key)?.bool(faults)
    }

    /// Reads a whole number.
    package func integer(_ key: StaticString, in range: ClosedRange<Int> = .min ... .max) -> Int? {
        node(key)?.integer(in: range, faults)
    }

    /// Reads a length of time.
    package func duration(_ key: StaticString, in range: ClosedRange<Duration>? = nil) -> Duration? {
        node(key)?.duration(in: range, faults)
    }

    /// Reads a number of bytes.
    package func byteCount(_ key: StaticString, in range: ClosedRange<Int>? = nil) -> Int? {
        node(key)?.byteCount(in: range, faults)
    }

    /// Reads a list of texts, or one text.
    package func strings(_ key: StaticString) -> [String]? {
        node(key)?.strings(faults)
    }

    /// Reads one of some words.
    package func choice(_ key: StaticString, of words: [String]) -> String? {
        node(key)?.choice(of: words, faults)
    }

    /// Reads one of the cases of an enumeration by its raw value.
    package func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ key: StaticString,
        of type: Choice.Type
    ) -> Choice? {
        node(key)?.choice(of: type, faults)
    }

    /// Reads a mapping with given keys; whoever reads it finishes it.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - what: What the mapping is, with an article.
    ///   - example: One as it may be written, for a value that is no mapping.
    /// - Returns: The reader, or nil without the key or after a fault.
    package func mapping(_ key: StaticString, of what: String, such example: String? = nil) -> MappingReader? {
        guard let node = node(key) else { return nil }
        if let example, node.members(such: example, what, faults) == nil { return nil }
        return MappingReader(node, of: what, faults: faults)
    }

    /// Reads a mapping whose keys are names of the user's choice.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - example: One as it may be written, for a value that is no mapping.
    /// - Returns: The members in the order of the file, or nil without the key or after a fault.
    package func members(_ key: StaticString, such example: String? = nil) -> Node.Members? {
        node(key)?.members(such: example, nil, faults)
    }
}
