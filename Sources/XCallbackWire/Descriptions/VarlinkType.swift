/// A type of the interface definition language.
package indirect enum VarlinkType: Hashable, Sendable {
    /// `bool`.
    case bool
    /// `int`: an integer.
    case int
    /// `float`: any number.
    case float
    /// `string`.
    case string
    /// `object`: any JSON object.
    case object
    /// `any`: any JSON value except `null`.
    case any
    /// `[]`: an array of one type.
    case array(VarlinkType)
    /// `[string]`: values of one type by name.
    case map(VarlinkType)
    /// `?`: an optional value.
    case optional(VarlinkType)
    /// `(a: int, b: string)`.
    case structure([VarlinkField])
    /// `(one, two)`.
    case enumeration([VarlinkChoice])
    /// A named type of the interface.
    case named(String)

    /// Whether a value can be missing.
    var isOptional: Bool {
        if case .optional = self { true } else { false }
    }
}

/// A field of a structure, or a parameter of a method or an error.
package struct VarlinkField: Hashable, Sendable {
    /// Its name.
    package let name: String
    /// The type of its value.
    package let type: VarlinkType
    /// The lines of the comment before it, without `#`.
    package let comment: [String]

    /// Creates a field.
    package init(_ name: String, _ type: VarlinkType, comment: [String] = []) {
        self.name = name
        self.type = type
        self.comment = comment
    }
}

/// A value of an enumeration.
package struct VarlinkChoice: Hashable, Sendable {
    /// Its name.
    package let name: String
    /// The lines of the comment before it, without `#`.
    package let comment: [String]

    /// Creates a value.
    package init(_ name: String, comment: [String] = []) {
        self.name = name
        self.comment = comment
    }
}
