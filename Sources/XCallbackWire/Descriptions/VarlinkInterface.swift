/// The description of an interface that a service offers.
package struct VarlinkInterface: Hashable, Sendable {
    /// A type, a method or an error.
    package struct Member: Hashable, Sendable {
        /// The kind of a member.
        package enum Kind: Hashable, Sendable {
            /// A named structure or enumeration.
            case type(VarlinkType)
            /// A method with its parameters and those of its reply.
            case method(input: [VarlinkField], output: [VarlinkField])
            /// An error with its parameters.
            case error([VarlinkField])
        }

        /// The name, which is unique.
        package let name: String
        /// The kind.
        package let kind: Kind
        /// The lines of the comment before it, without `#`.
        package let comment: [String]

        /// Creates a member.
        package init(_ name: String, _ kind: Kind, comment: [String] = []) {
            self.name = name
            self.kind = kind
            self.comment = comment
        }
    }

    /// The name, such as `org.example.more`.
    package let name: String
    /// The lines of the comment before it, without `#`.
    package let comment: [String]
    /// The members in order.
    package let members: [Member]

    init(name: String, comment: [String], members: [Member]) {
        self.name = name
        self.comment = comment
        self.members = members
    }
}
