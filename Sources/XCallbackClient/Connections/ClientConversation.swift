import XCallbackJSON
import XCallbackVarlink

/// What a client has received and not read yet, and how its conversation with the daemon has ended, if it has.
struct ClientConversation {
    private var session = VarlinkClientSession()
    private var input: [UInt8] = []
    /// Where in ``input`` the next reply begins.
    private var position = 0
    private var ending: (any Error)?

    /// Whether no call waits for a reply, and none came that nobody waits for.
    var isIdle: Bool { ending == nil && session.openCount == 0 && unreadCount == 0 }
    /// How many bytes were received and not read.
    var unreadCount: Int { input.count - position }

    /// Writes a call.
    mutating func call(
        _ method: String, _ parameters: JSONValue, mode: VarlinkCall.Mode, into output: inout [UInt8]
    ) {
        session.call(method, parameters, mode: mode, into: &output)
    }

    /// Reads the next reply.
    ///
    /// - Parameter path: Where the server is, for messages.
    /// - Returns: The reply, or what has ended the conversation; nil if more has to be received.
    mutating func next(from path: String) -> Result<VarlinkReply, any Error>? {
        let input = input
        switch session.next(in: input.span, from: position) {
        case .reply(let reply, let next):
            position = next
            return .success(reply)
        case .needsInput(let start):
            position = start
        case .close(let fault):
            // It counts for more than that the other end has closed the connection after it.
            ending = ClientError.incompatible(path, "has sent \(fault)")
            (self.input, position) = ([], 0)
        }
        return ending.map { .failure($0) }
    }

    /// Appends what is received.
    ///
    /// - Parameters:
    ///   - count: How many bytes at most.
    ///   - receive: Writes them to its buffer; returns how many they are, or a negative error number.
    /// - Returns: Nil if there were some; 0 at the end, else the error number.
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

    /// Ends the conversation; replies that were received whole can still be read if the other end has ended it.
    mutating func end(with error: any Error) {
        if ending == nil { ending = error }
        if error is CancellationError || position == input.count { (input, position) = ([], 0) }
    }
}
