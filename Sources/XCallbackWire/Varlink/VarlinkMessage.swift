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
        try message.checkMembers(Self.names)
        guard let method = try message.textMember("method") else { throw .badMember("method") }
        self.method = method
        parameters = message.value(named: "parameters", of: 0)
        let wantsMore = try message.isTrueMember("more")
        let isOneway = try message.isTrueMember("oneway")
        isUpgrade = try message.isTrueMember("upgrade")
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
        try message.checkMembers(["parameters", "continues", "error"])
        self.call = call
        `continues` = try message.isTrueMember("continues")
        var members: [JSONValue.Member] = []
        if let number = message.value(named: "parameters", of: 0) {
            guard message[number].kind == .object, message.unusable(below: number) == nil else {
                throw .badMember("parameters")
            }
            members = message.value(number).members ?? []
        }
        guard let error = try message.textMember("error") else {
            result = .success(.object(members))
            return
        }
        if `continues` { throw .unexpectedContinuation }
        result = .failure(VarlinkError(message.text(error), members))
    }
}

// Members of a message; those that are null count as missing.
extension JSONDocument {
    /// Checks that no member is repeated, and that unknown ones are extensions, whose names have a dot.
    fileprivate func checkMembers(_ names: [StaticString]) throws(VarlinkFault) {
        guard self[0].kind == .object else { throw .notAnObject }
        if let name = unknownName(besides: names, in: 0, allowsExtensions: true) { throw .badMember(text(name)) }
    }

    /// Returns the number of a string; nil if it is missing.
    fileprivate func textMember(_ name: StaticString) throws(VarlinkFault) -> Int? {
        guard let number = value(named: name, of: 0) else { return nil }
        guard self[number].kind == .string, !self[number].isBroken else { throw .badMember("\(name)") }
        return number
    }

    /// Whether a member is true; false if it is missing.
    fileprivate func isTrueMember(_ name: StaticString) throws(VarlinkFault) -> Bool {
        guard let number = value(named: name, of: 0) else { return false }
        switch self[number].kind {
        case .true: return true
        case .false: return false
        default: throw .badMember("\(name)")
        }
    }
}
