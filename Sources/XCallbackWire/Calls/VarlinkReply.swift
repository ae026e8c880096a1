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
    init(
        _ layout: JSONLayout, in text: Span<UInt8>, to call: Int
    ) throws(VarlinkFault) {
        let header = try MessageHeader(layout, in: text, MessageHeader.Member.ofReplies)
        self.call = call
        self.continues = try header.isTrue(.continues, in: layout)
        var members: [JSONValue.Member] = []
        if let number = header[.parameters] {
            guard case .object(let parameters) = try layout.checkedValue(number, in: text) else {
                throw .badMember("parameters")
            }
            members = parameters
        }
        if let number = header[.error] {
            guard case .string(let name) = try layout.checkedValue(number, in: text) else { throw .badMember("error") }
            if self.continues { throw .unexpectedContinuation }
            result = .failure(VarlinkError(name, members))
        } else {
            result = .success(.object(members))
        }
    }
}

extension JSONLayout {
    fileprivate func checkedValue(_ number: Int, in text: Span<UInt8>) throws(VarlinkFault) -> JSONValue {
        if let fault = fault(below: number, in: text) { throw .notJSON(fault) }
        return value(number, in: text)
    }
}
