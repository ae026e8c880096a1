extension QueryItems {
    /// Creates items from a dictionary, sorted by name.
    ///
    /// - Parameter dictionary: The values by name.
    public init(_ dictionary: [String: String]) {
        self.init()
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { append(name, value) }
    }
}

extension QueryItems: CustomStringConvertible, CustomReflectable {
    /// The items as a literal: `["title": "Milk", "flag": nil]`.
    public var description: String {
        let items = map { "\($0.name.debugDescription): \($0.value?.debugDescription ?? "nil")" }
        return items.isEmpty ? "[:]" : "[\(items.joined(separator: ", "))]"
    }

    /// The names and values.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: map { ($0.name, $0.value) }, displayStyle: .collection)
    }
}
