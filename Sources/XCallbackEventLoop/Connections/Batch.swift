import CLinux
import XCallbackBytes

/// A range of a buffer that all connections share: the input of a connection, or its answer.
struct ConnectionBytes: Sendable {
    let connection: ConnectionID
    let range: Range<Int>
}

/// The input of a batch of events, kept until the sessions process it.
///
/// All available input is read before the first session runs, and all sessions run before the first answer is sent:
/// otherwise the code of the kernel and of the requests would evict each other from the processor's caches on each call.
struct Inbox {
    /// The maximum number of bytes of a read.
    private static let readSize = 65_536
    /// The maximum number of connections to read from.
    private static let arrivalLimit = 16
    /// The number of bytes after which reading stops: a client with many requests gets answers before others are read.
    private static let workLimit = 16_384
    /// The number of bytes that are processed quickly, with any requests in them.
    static let shortWork = 2_048

    /// The memory.
    ///
    /// Only the kernel writes to it, so that pages that no client has filled use no memory.
    private(set) var bytes = [UInt8](unsafeUninitializedCapacity: Self.workLimit + Self.readSize) {
        $1 = $0.count
    }
    private var end = 0
    /// The descriptors that were passed with the last read.
    private(set) var passed: [Int32] = []
    /// The input, one entry per connection; an empty entry if the client has closed its sending side.
    private(set) var arrivals: [ConnectionBytes] = []

    /// Whether processing may take long.
    var isLong: Bool { end >= Self.shortWork }

    /// Whether it must be emptied before more is read.
    var isFull: Bool { arrivals.count >= Self.arrivalLimit || end >= Self.workLimit }

    /// Reads once from a connection, and keeps the data.
    ///
    /// - Returns: The number of bytes, 0 at the end of the input, or -1 with `errno` set.
    mutating func receive(from connection: Connection) -> Int {
        let start = end
        let count =
            connection.takesDescriptors
            ? receivePassed(from: connection.number)
            : bytes.withUnsafeMutableBytes { buffer in
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + Self.readSize)])
                return xcb_receive(connection.number, room.baseAddress, room.count)
            }
        guard count >= 0 else { return count }
        end += count
        arrivals.append(ConnectionBytes(connection: connection.id, range: start..<end))
        return count
    }

    /// Reads once from a connection whose client can pass descriptors.
    private mutating func receivePassed(from socket: Int32) -> Int {
        let start = end
        var passedCount: Int32 = 0
        return withUnsafeTemporaryAllocation(of: Int32.self, capacity: Int(XCB_PASSED_LIMIT)) { descriptors in
            let count = bytes.withUnsafeMutableBytes { buffer in
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + Self.readSize)])
                return xcb_receive_passed(
                    socket, room.baseAddress, room.count, descriptors.baseAddress, &passedCount)
            }
            passed = Array(descriptors.prefix(Int(passedCount)))
            return count
        }
    }

    /// Takes the descriptors that were passed with the last read.
    mutating func takePassed() -> [Int32] {
        defer { passed = [] }
        return passed
    }

    /// Removes all input, and keeps the memory.
    mutating func removeAll() {
        end = 0
        arrivals.removeAll(keepingCapacity: true)
    }
}

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
        connection.state = .answered
        replies.append(ConnectionBytes(connection: connection.id, range: start..<output.count))
        return true
    }

    /// Removes all answers, and keeps the memory unless it is large.
    mutating func removeAll() {
        if output.bytes.count > Self.byteLimit * 4 { output = ByteBuffer() } else { output.truncate() }
        replies.removeAll(keepingCapacity: true)
    }
}
