/// A place in a value, which knows the keys on the way to it.
protocol NestedPlace: AnyObject {
    /// The place that holds it; nil for the value itself.
    var parent: Self? { get }
    /// The key that it has there.
    var key: (any CodingKey)? { get }
}

extension NestedPlace {
    /// The keys on the way to the value.
    var codingPath: [any CodingKey] {
        guard let parent, let key else { return [] }
        return parent.codingPath + [key]
    }
}
