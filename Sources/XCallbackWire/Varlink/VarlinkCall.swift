import XCallbackBytes

/// A method call.
package struct VarlinkCall {
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
    /// The parameters, which are not checked yet.
    ///
    /// They share the memory of the message: the next message needs new memory if they are kept until then.
    package let parameters: VarlinkObject
}
