import AttackPlan
import Glibc

/// The bytes that the connections of a crowd send.
struct CrowdMessages {
    let manner: Crowd.Manner
    /// The bytes that are sent once.
    let opening: [UInt8]
    /// The bytes that are sent repeatedly: many whole requests, so that one call sends a lot.
    let repeated: [UInt8]

    /// Creates the bytes of a crowd.
    init(_ crowd: Crowd) {
        manner = crowd.manner
        opening = Array(crowd.opening.utf8) + Array(repeating: UInt8(ascii: "a"), count: crowd.padding)
        let request = Array(crowd.repeated.utf8)
        let copies = request.isEmpty ? 0 : max(1, (64 << 10) / request.count)
        repeated = Array((0..<copies).map { _ in request }.joined())
    }
}

/// One connection of a crowd, with its progress.
struct Connection {
    let crowd: Int
    private(set) var descriptor: Int32 = -1
    /// The number of bytes of the opening that were sent.
    private var opened = 0
    /// The position in the repeated bytes.
    private var position = 0

    /// Creates a closed connection.
    init(crowd: Int) {
        self.crowd = crowd
    }

    /// Resets the connection with a new socket.
    mutating func open(_ descriptor: Int32) {
        self.descriptor = descriptor
        opened = 0
        position = 0
    }

    /// Closes the socket.
    mutating func close() {
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Whether nothing remains to be sent.
    func isDone(_ messages: CrowdMessages) -> Bool {
        opened == messages.opening.count && messages.repeated.isEmpty
    }

    /// Sends the next bytes that the socket accepts, and returns the result of `send`.
    mutating func send(_ messages: CrowdMessages) -> Int {
        let isOpening = opened < messages.opening.count
        let (bytes, start) = isOpening ? (messages.opening, opened) : (messages.repeated, position)
        let count = bytes.withUnsafeBytes { Self.send($0[start...], to: descriptor) }
        guard count > 0 else { return count }
        if isOpening {
            opened += count
        } else {
            position = (position + count) % messages.repeated.count
        }
        return count
    }

    private static func send(_ bytes: Slice<UnsafeRawBufferPointer>, to descriptor: Int32) -> Int {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        guard !bytes.isEmpty else { return 0 }
        return Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
