/// A place in a value, with its coding path.
protocol NestedPlace: AnyObject {
    /// The enclosing place; nil for the outermost value.
    var parent: Self? { get }
    /// The key in the enclosing place.
    var key: (any CodingKey)? { get }
}

extension NestedPlace {
    /// The keys on the path to the value.
    var codingPath: [any CodingKey] {
        guard let parent, let key else { return [] }
        return parent.codingPath + [key]
    }
}
