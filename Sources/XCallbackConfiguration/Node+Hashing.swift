extension Node {
    /// Feeds what the value says to a hash, without its place.
    package func hashContent(into hasher: inout Hasher) {
        switch content {
        case .scalar(let scalar):
            hasher.combine(0 as UInt8)
            hasher.combine(scalar)
        case .sequence(let items):
            hasher.combine(1 as UInt8)
            hasher.combine(items.count)
            for item in items { item.hashContent(into: &hasher) }
        case .mapping(let members):
            hasher.combine(2 as UInt8)
            hasher.combine(members.count)
            for member in members {
                hasher.combine(member.key)
                member.value.hashContent(into: &hasher)
            }
        }
    }
}
