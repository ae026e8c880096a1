/// The reason why a message is invalid: it gets no reply, and the connection must be closed.
package enum VarlinkFault: Error, Hashable, Sendable {
    /// It exceeds the size limit, in bytes.
    case tooLong(limit: Int)
    /// It is not JSON.
    case notJSON(JSONError)
    /// It is not an object.
    case notAnObject
    /// A member is missing, unknown, repeated, or of the wrong type.
    case badMember(String)
    /// A call requests more than one of `more`, `oneway` and `upgrade`.
    case contradiction
    /// A reply arrived although no call waits for one.
    case unexpectedReply
    /// A reply has `continues` set, although the call did not request more replies or the reply is an error.
    case unexpectedContinuation
}

extension VarlinkFault: CustomStringConvertible {
    /// The fault.
    package var description: String {
        switch self {
        case .tooLong(let limit): "a message of more than \(limit) bytes"
        case .notJSON(let error): "a message that is not JSON: \(error)"
        case .notAnObject: "a message that is not an object"
        case .badMember(let name): "a message whose member '\(name)' is missing, unknown, repeated or of the wrong type"
        case .contradiction: "a call with more than one of 'more', 'oneway' and 'upgrade'"
        case .unexpectedReply: "a reply without a call"
        case .unexpectedContinuation: "a reply that announces unrequested replies"
        }
    }
}
