import XCallbackBytes

/// The answers of a batch of events, kept until they are sent together.
struct Outbox {
    /// How many connections have answers in it at most.
    private static let replyLimit = 16
    /// How many bytes it holds, more or less, before it is emptied.
    private static let byteLimit = 262_144

    /// What sessions have written.
    var output = ByteBuffer()
    /// The answers, each to one connection.
    private(set) var replies = ReusableArray<ConnectionBytes>()

    /// Whether it has to be emptied before more is written.
    var isFull: Bool { replies.count >= Self.replyLimit || output.count >= Self.byteLimit }

    /// Keeps what was written from a position on for the end of the batch; false if nothing was.
    @inline(__always)
    mutating func keep(from start: Int, for connection: Connection) -> Bool {
        guard start < output.count else { return false }
        connection.awaitsSending = true
        replies.append(ConnectionBytes(connection: connection.id, range: start..<output.count))
        return true
    }

    /// Forgets everything, and keeps the memory unless it is much.
    mutating func removeAll() {
        if output.bytes.count > Self.byteLimit * 4 { output = ByteBuffer() } else { output.truncate() }
        replies.removeAll()
    }
}
