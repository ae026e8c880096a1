extension Node {
    /// Feeds what the value says to a hash, without its place.
    package func hashContent(into hasher: inout Hasher) {
        switch content {
        case .scalar(let scalar):
            hasher.combine(0 as UInt8)
            scalar.text.hashBytes(into: &hasher)
            hasher.combine(scalar.isQuoted)
        case .sequence(let items):
            hasher.combine(1 as UInt8)
            hasher.combine(items.count)
            for item in items { item.hashContent(into: &hasher) }
        case .mapping(let members):
            hasher.combine(2 as UInt8)
            hasher.combine(members.count)
            for member in members {
                member.key.hashBytes(into: &hasher)
                member.value.hashContent(into: &hasher)
            }
        }
    }
}

extension Node {
    /// Whether two values say the same, wherever they stand.
    package func saysTheSame(as other: Node) -> Bool {
        if isIdentical(to: other) { return true }
        switch (content, other.content) {
        case (.scalar(let scalar), .scalar(let otherScalar)):
            return scalar.isQuoted == otherScalar.isQuoted && scalar.text.isSame(as: otherScalar.text)
        case (.sequence(let items), .sequence(let otherItems)):
            return items.elementsEqual(otherItems) { $0.saysTheSame(as: $1) }
        case (.mapping(let members), .mapping(let others)):
            return members.elementsEqual(others) { $0.key.isSame(as: $1.key) && $0.value.saysTheSame(as: $1.value) }
        default: return false
        }
    }
}
