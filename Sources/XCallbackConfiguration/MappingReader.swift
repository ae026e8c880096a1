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

    private let members: [Node.Member]
    private let indices: [String: Int]
    private var askedKeys: [String] = []

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
        indices = Dictionary(members.enumerated().map { ($1.key, $0) }) { first, _ in first }
    }

    /// Returns the value of a key.
    package func node(_ key: String) -> Node? {
        member(key)?.value
    }

    /// Returns the value of a key that must be there; reports when it is not.
    package func requiredNode(_ key: String) -> Node? {
        if let member = member(key) { return member.value }
        faults.report("expected the key \(key.quoted) in \(what)", at: place)
        return nil
    }

    /// Returns where a key stands, for faults that are about the key.
    package func keyPlace(_ key: String) -> Place? {
        member(key)?.place
    }

    /// Reports every key that nobody asked for, with the nearest one that was.
    package func finish() {
        for member in members where !askedKeys.contains(member.key) {
            let expected = askedKeys.isEmpty ? "no keys" : askedKeys.alternatives
            let suggestion = member.key.suggestion(among: askedKeys)
            let hint = suggestion.isEmpty ? "; expected \(expected)" : suggestion
            faults.report("unknown key \(member.key.quoted) in \(what)\(hint)", at: member.place)
        }
    }

    private func member(_ key: String) -> Node.Member? {
        if !askedKeys.contains(key) { askedKeys.append(key) }
        return indices[key].map { members[$0] }
    }
}
