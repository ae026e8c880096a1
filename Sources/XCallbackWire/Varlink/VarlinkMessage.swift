/// The members of a call's message.
struct CallHeader {
    private static let names: [StaticString] = ["method", "parameters", "more", "oneway", "upgrade"]

    /// The number of the method's name.
    let method: Int
    /// The number of the parameters; nil without any.
    let parameters: Int?
    let mode: VarlinkCall.Mode
    let isUpgrade: Bool

    /// Reads a message.
    ///
    /// - Throws: ``VarlinkFault`` if the message is not a call.
    init(_ message: JSONDocument) throws(VarlinkFault) {
        let values = try message.members(Self.names)
        guard let method = try message.text(values[0], "method") else { throw .badMember("method") }
        self.method = method
        parameters = values[1] == 0 ? nil : values[1]
        let wantsMore = try message.isTrue(values[2], "more")
        let isOneway = try message.isTrue(values[3], "oneway")
        isUpgrade = try message.isTrue(values[4], "upgrade")
        if wantsMore && isOneway || wantsMore && isUpgrade || isOneway && isUpgrade { throw .contradiction }
        mode = wantsMore ? .more : isOneway ? .oneway : .once
    }
}

/// A reply to a call.
package struct VarlinkReply: Hashable, Sendable {
    /// The number of the call, starting at 0 and counting all calls except oneway calls.
    package let call: Int
    /// The parameters as an object, or the error.
    package let result: Result<JSONValue, VarlinkError>
    /// Whether more replies follow.
    package let `continues`: Bool

    /// Reads a message.
    ///
    /// - Throws: ``VarlinkFault`` if the message is not a reply.
    init(_ message: JSONDocument, to call: Int) throws(VarlinkFault) {
        let values = try message.members(["parameters", "continues", "error"])
        self.call = call
        `continues` = try message.isTrue(values[1], "continues")
        var members: [JSONValue.Member] = []
        if values[0] > 0 {
            guard message[values[0]].kind == .object, message.unusable(below: values[0]) == nil else {
                throw .badMember("parameters")
            }
            members = message.value(values[0]).members ?? []
        }
        guard let error = try message.text(values[2], "error") else {
            result = .success(.object(members))
            return
        }
        if `continues` { throw .unexpectedContinuation }
        result = .failure(VarlinkError(message.text(error), members))
    }
}

// Members of a message; the number of a missing or null value is 0.
extension JSONDocument {
    /// Finds the values of the members; unknown ones must be extensions, whose names have a dot.
    fileprivate func members(_ names: [StaticString]) throws(VarlinkFault) -> InlineArray<16, Int> {
        guard self[0].kind == .object else { throw .notAnObject }
        do throws(UnknownName) {
            return try values(named: names, of: 0, allowsExtensions: true)
        } catch {
            throw .badMember(text(error.number))
        }
    }

    /// Returns the number of a string; nil if it is missing.
    fileprivate func text(_ number: Int, _ name: StaticString) throws(VarlinkFault) -> Int? {
        if number == 0 { return nil }
        guard self[number].kind == .string, !self[number].isBroken else { throw .badMember("\(name)") }
        return number
    }

    /// Whether a value is true; false if it is missing.
    fileprivate func isTrue(_ number: Int, _ name: StaticString) throws(VarlinkFault) -> Bool {
        if number == 0 { return false }
        switch self[number].kind {
        case .true: return true
        case .false: return false
        default: throw .badMember("\(name)")
        }
    }
}

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

/// An error reply to a call.
package struct VarlinkError: Error, Hashable, Sendable {
    /// The error name, including the interface, such as `org.varlink.service.InvalidParameter`.
    package let name: String
    /// The parameters, in order.
    package let parameters: [JSONValue.Member]

    package init(_ name: String, _ parameters: [JSONValue.Member] = []) {
        self.name = name
        self.parameters = parameters
    }
}

// The errors that any service can return for any interface.
extension VarlinkError {
    /// The service does not have the interface.
    package static func interfaceNotFound(_ interface: String) -> Self {
        Self("org.varlink.service.InterfaceNotFound", [.init("interface", .string(interface))])
    }

    /// The interface does not have the method.
    package static func methodNotFound(_ method: String) -> Self {
        Self("org.varlink.service.MethodNotFound", [.init("method", .string(method))])
    }

    /// The service lacks a method of the interface, or cannot do what the call requests.
    package static func methodNotImplemented(_ method: String) -> Self {
        Self("org.varlink.service.MethodNotImplemented", [.init("method", .string(method))])
    }

    /// A parameter is missing, unknown or invalid.
    package static func invalidParameter(_ parameter: String) -> Self {
        Self("org.varlink.service.InvalidParameter", [.init("parameter", .string(parameter))])
    }

    /// The client does not have permission.
    package static let permissionDenied = Self("org.varlink.service.PermissionDenied")
    /// The method must be called with `more`.
    package static let expectedMore = Self("org.varlink.service.ExpectedMore")
    /// The method must be called with `upgrade`.
    package static let expectedUpgrade = Self("org.varlink.service.ExpectedUpgrade")
}

extension VarlinkError: CustomStringConvertible {
    /// The name, as a JSON string if it is not a valid error name, and the parameters if there are any.
    package var description: String {
        let isName = name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let name = isName ? name : JSONValue.string(name).description
        return parameters.isEmpty ? name : "\(name) \(JSONValue.object(parameters))"
    }
}

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
