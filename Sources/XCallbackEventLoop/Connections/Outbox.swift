import XCallbackBytes

/// The answers of a batch of events, kept until they are sent together.
struct Outbox {
    /// The maximum number of connections with answers.
    private static let replyLimit = 16
    /// The approximate number of bytes after which it is emptied.
    private static let byteLimit = 262_144

    /// The output of the sessions.
    var output = ByteBuffer()
    /// The answers, one entry per connection.
    private(set) var replies: [ConnectionBytes] = []

    /// Whether it must be emptied before more is written.
    var isFull: Bool { replies.count >= Self.replyLimit || output.count >= Self.byteLimit }

    /// Keeps the output from a position on for the end of the batch; returns false if there is none.
    @inline(__always)
    mutating func keep(from start: Int, for connection: Connection) -> Bool {
        guard start < output.count else { return false }
        connection.awaitsSending = true
        replies.append(ConnectionBytes(connection: connection.id, range: start..<output.count))
        return true
    }

    /// Removes all answers, and keeps the memory unless it is large.
    mutating func removeAll() {
        if output.bytes.count > Self.byteLimit * 4 { output = ByteBuffer() } else { output.truncate() }
        replies.removeAll(keepingCapacity: true)
    }
}
