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
    fileprivate func members(_ names: [StaticString]) throws(VarlinkFault) -> InlineArray<8, Int> {
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
