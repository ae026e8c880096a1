/// An interface: what a service offers, as its description says.
package struct VarlinkInterface: Hashable, Sendable {
    /// A type, a method or an error.
    package struct Member: Hashable, Sendable {
        /// What a member is.
        package enum Kind: Hashable, Sendable {
            /// A structure or an enumeration with a name.
            case type(VarlinkType)
            /// A method with its parameters and those of its reply.
            case method(input: [VarlinkField], output: [VarlinkField])
            /// An error with its parameters.
            case error([VarlinkField])
        }

        /// Its name, which no other member has.
        package let name: String
        /// What it is.
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
    /// Its members in their order.
    package let members: [Member]

    init(name: String, comment: [String], members: [Member]) {
        self.name = name
        self.comment = comment
        self.members = members
    }
}
