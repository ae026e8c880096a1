import XCallbackWire

/// The unread input of a client, and how its conversation with the daemon ended, if it has.
struct ClientConversation {
    private var session = VarlinkClientSession()
    private var input: [UInt8] = []
    /// The position of the next reply in ``input``.
    private var position = 0
    private var ending: (any Error)?

    /// Whether no call waits for a reply, and no unexpected reply was received.
    var isIdle: Bool { ending == nil && session.openCount == 0 && unreadCount == 0 }
    /// The number of unread bytes.
    var unreadCount: Int { input.count - position }

    /// Writes a call.
    mutating func call(
        _ method: String, _ parameters: JSONValue, mode: VarlinkCall.Mode, into output: inout [UInt8]
    ) {
        session.call(method, parameters, mode: mode, into: &output)
    }

    /// Reads the next reply.
    ///
    /// - Parameter path: The path of the server, for messages.
    /// - Returns: The reply, or the reason why the conversation ended; nil if more data is needed.
    mutating func next(from path: String) -> Result<VarlinkReply, any Error>? {
        let input = input
        switch session.next(in: input.span, from: position) {
        case .reply(let reply, let next):
            position = next
            return .success(reply)
        case .needsInput(let start):
            position = start
        case .close(let fault):
            // This is more important than the end of the connection that follows it.
            ending = ClientError.incompatible(path, "has sent \(fault)")
            (self.input, position) = ([], 0)
        }
        return ending.map { .failure($0) }
    }

    /// Appends received data.
    ///
    /// - Parameters:
    ///   - count: The maximum number of bytes.
    ///   - receive: Writes the bytes to its buffer; returns their number, or a negative error number.
    /// - Returns: Nil if there were any; 0 at the end, otherwise the error number.
    mutating func fill(_ count: Int, _ receive: (UnsafeMutableRawBufferPointer) -> Int) -> Int32? {
        if position > 0 {
            input.removeFirst(position)
            position = 0
        }
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { buffer in
            let count = receive(buffer)
            guard count > 0 else { return Int32(-count) }
            input += buffer[..<count]
            return nil
        }
    }

    /// Ends the conversation; if the other end has ended it, complete replies can still be read.
    mutating func end(with error: any Error) {
        if ending == nil { ending = error }
        if error is CancellationError || position == input.count { (input, position) = ([], 0) }
    }
}
