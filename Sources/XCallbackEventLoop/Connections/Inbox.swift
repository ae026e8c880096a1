import CLinux
import XCallbackBytes

/// What a batch of events has brought, kept until the sessions work on it.
///
/// All that is there is read before the first session works, and all sessions work before the first answer is sent: the
/// kernel's code and that of the requests would push each other out of the processor's caches with each call.
struct Inbox {
    /// How much is read from a connection at a time.
    private static let readSize = 65_536
    /// From how many connections is read at most.
    private static let arrivalLimit = 16
    /// How many bytes are enough to work on: who sends many requests at a time gets answers before others are read.
    private static let workLimit = 16_384
    /// How many bytes are worked on in no time, whatever they ask for.
    static let shortWork = 2_048

    /// The memory.
    ///
    /// Nothing is written to it before the kernel does, so that what no client has ever filled takes no room.
    private(set) var bytes = [UInt8](unsafeUninitializedCapacity: Self.workLimit + Self.readSize) {
        $1 = $0.count
    }
    private var end = 0
    /// The descriptors that were passed with what was read last.
    private(set) var passed: [Int32] = []
    /// What was read, from one connection each; nothing if its client has closed its sending half.
    private(set) var arrivals = ReusableArray<ConnectionBytes>()

    /// Whether the work on it may take a while.
    var isLong: Bool { end >= Self.shortWork }

    /// Whether it has to be emptied before more is read.
    var isFull: Bool { arrivals.count >= Self.arrivalLimit || end >= Self.workLimit }

    /// Reads once from a connection, and keeps what there is.
    ///
    /// - Returns: How many bytes there were, 0 at the end of the input, or -1 with `errno` set.
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

    /// Takes the descriptors that were passed with what was read last.
    mutating func takePassed() -> [Int32] {
        defer { passed = [] }
        return passed
    }

    /// Forgets everything, and keeps the memory.
    mutating func removeAll() {
        end = 0
        arrivals.removeAll()
    }
}

/// Bytes in a buffer that all connections share: what one of them has brought, or is to get.
struct ConnectionBytes: Sendable {
    let connection: ConnectionID
    let range: Range<Int>
}
