/// A method call.
package struct VarlinkCall: Hashable, Sendable {
    /// The number of replies that a call requests.
    package enum Mode: Hashable, Sendable {
        /// One reply.
        case once
        /// One or more replies: all but the last have `continues` set.
        case more
        /// No reply, not even an error.
        case oneway
    }

    /// The index of the method among those of the service.
    package let method: Int
    /// The number of replies that the call requests.
    package let mode: Mode
    /// The number of the parameters in the message; nil without any.
    let parameters: Int?
}
