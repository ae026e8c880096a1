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
        guard message[0].kind == .object else { throw .notAnObject }
        self.call = call
        let error: String?
        let parameters: JSONValue
        do throws(VarlinkError) {
            let members = VarlinkObject(message, 0)
            try members.check(["parameters", "continues", "error"], allowsExtensions: true)
            error = try members.optional("error")?.text()
            `continues` = try members.optional("continues")?.truth() ?? false
            parameters = try members.optional("parameters")?.object().json() ?? [:]
        } catch {
            throw .badMember(error)
        }
        guard let error else {
            result = .success(parameters)
            return
        }
        if `continues` { throw .unexpectedContinuation }
        result = .failure(VarlinkError(error, parameters.members ?? []))
    }
}
