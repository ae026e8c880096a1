/// The members of a mapping while it is read.
struct MemberList {
    private let faults: FaultList
    private var members: [Node.Member] = []
    /// The members by their keys, once there are too many to look through.
    private var indices: [[UInt8]: Int] = [:]
    private static let fewMembers = 8
    private var mergeKey: Place?
    private var mergedValues: [Node] = []

    /// Creates an empty list.
    init(faults: FaultList) {
        self.faults = faults
    }

    /// Adds a key and its value, or reports why the key cannot stand there.
    mutating func add(_ key: Node, _ value: Node) {
        guard case .scalar(let scalar) = key.content, scalar.isQuoted || !scalar.text.isEmpty else {
            return faults.report("expected a text as a key, found \(key.found)", at: key.place)
        }
        let isMerge = scalar.text == "<<" && !scalar.isQuoted
        if let first = isMerge ? mergeKey : member(scalar.text)?.place {
            let message = "key \(scalar.text.quoted) is given twice"
            faults.report(message, at: key.place, other: .init("the first is", at: first))
        } else if isMerge {
            mergeKey = key.place
            mergedValues = [value]
            if case .sequence(let values) = value.content { mergedValues = values }
        } else {
            append(Node.Member(key: scalar.text, place: key.place, value: value))
        }
    }

    /// Returns the members, with those behind `<<` whose keys are not given themselves.
    mutating func merged() -> [Node.Member] {
        for value in mergedValues {
            guard case .mapping(let others) = value.content else {
                faults.report("expected a mapping to merge, found \(value.found)", at: value.place)
                continue
            }
            for member in others where self.member(member.key) == nil { append(member) }
        }
        return members
    }

    private func member(_ key: String) -> Node.Member? {
        guard members.count > Self.fewMembers else { return members.first(withKey: key) }
        return indices[Array(key.utf8)].map { members[$0] }
    }

    private mutating func append(_ member: Node.Member) {
        // Most have a few.
        if members.isEmpty { members.reserveCapacity(4) }
        members.append(member)
        guard members.count > Self.fewMembers else { return }
        let start = indices.isEmpty ? 0 : members.count - 1
        for index in start..<members.count { indices[Array(members[index].key.utf8)] = index }
    }
}
