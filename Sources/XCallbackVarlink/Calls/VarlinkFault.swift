package import XCallbackJSON

/// Why a message is none: there is no reply to it, and the connection has to be closed.
package enum VarlinkFault: Error, Hashable, Sendable {
    /// It has more bytes than are allowed.
    case tooLong(limit: Int)
    /// It is not JSON.
    case notJSON(JSONError)
    /// It is another value than an object.
    case notAnObject
    /// A call names no method.
    case noMethod
    /// A member is unknown, and its name has no dot as those of extensions have.
    case unknownMember(String)
    /// A member is there twice.
    case repeatedMember(String)
    /// A member has a value of the wrong type.
    case badMember(String)
    /// A call asks for more than one of `more`, `oneway` and `upgrade`.
    case contradiction
    /// A reply comes while no call waits for one.
    case unexpectedReply
    /// A reply says that others follow, although the call did not ask for more or the reply is an error.
    case unexpectedContinuation
}

extension VarlinkFault: CustomStringConvertible {
    /// What is wrong.
    package var description: String {
        switch self {
        case .tooLong(let limit): "a message of more than \(limit) bytes"
        case .notJSON(let error): "a message that is not JSON: \(error)"
        case .notAnObject: "a message that is not an object"
        case .noMethod: "a call without a method"
        case .unknownMember(let name): "a message with an unknown member '\(name)'"
        case .repeatedMember(let name): "a message with two members '\(name)'"
        case .badMember(let name): "a message whose member '\(name)' has a value of the wrong type"
        case .contradiction: "a call with more than one of 'more', 'oneway' and 'upgrade'"
        case .unexpectedReply: "a reply without a call"
        case .unexpectedContinuation: "a reply that announces unrequested replies"
        }
    }
}
