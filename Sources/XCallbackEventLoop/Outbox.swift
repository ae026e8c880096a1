/// The answers of a batch of events, kept until they are sent together.
struct Outbox {
    /// How many connections have answers in it at most.
    private static let replyLimit = 64
    /// How many bytes it holds, more or less, before it is emptied.
    private static let byteLimit = 262_144

    /// Answers to one connection.
    struct Reply {
        let connection: Connection
        let range: Range<Int>
    }

    /// What sessions have written; they append to it.
    var bytes: [UInt8] = []
    private(set) var replies: [Reply] = []

    /// Whether it has to be emptied before more is written.
    var isFull: Bool { replies.count >= Self.replyLimit || bytes.count >= Self.byteLimit }

    /// Keeps what was written from a position on for the end of the batch; false if nothing was.
    mutating func keep(from start: Int, for connection: Connection) -> Bool {
        guard start < bytes.count else { return false }
        connection.awaitsSending = true
        replies.append(Reply(connection: connection, range: start..<bytes.count))
        return true
    }

    /// Forgets everything, and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        replies.removeAll(keepingCapacity: true)
    }
}
