import XCallbackWire

/// A part of a URL: a segment, or the name or the value of an item.
struct URLPart {
    /// The part as received.
    let received: Range<Int>
    /// The decoded form; the same range if nothing is encoded.
    let decoded: Range<Int>
}

/// Reads a URL part by part, from left to right, and writes the decoded form of each encoded part after the URL.
///
/// It must not outlive the memory, whose bounds are not checked for each byte: this is the innermost loop of a request.
/// Every loop ends at a mark after the URL, which no part can contain.
struct URLReader {
    /// Returns the room needed after a URL: for the mark, and for decoded parts, which are never longer than the URL.
    static func room(for count: Int) -> Int { count + 1 }

    /// A control character, so that every part ends there.
    private static let endMark = UInt8(ascii: "\n")

    /// The URL, the mark, and the decoded forms.
    let bytes: UnsafeMutableBufferPointer<UInt8>
    /// The number of bytes of the URL.
    let count: Int
    /// The number of bytes that were read.
    private(set) var position = 0
    /// The start of the next decoded form.
    private(set) var end: Int

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - bytes: The URL, followed by ``room(for:)`` bytes.
    ///   - count: The number of bytes of the URL.
    init(_ bytes: UnsafeMutableBufferPointer<UInt8>, count: Int) {
        self.bytes = bytes
        self.count = count
        end = count + 1
        bytes[count] = Self.endMark
    }

    /// Whether everything was read.
    var isAtEnd: Bool { position == count }

    /// Skips a byte if it is next.
    @inline(__always)
    mutating func skip(_ byte: UInt8) -> Bool {
        // Callers never pass the mark.
        guard bytes[position] == byte else { return false }
        position &+= 1
        return true
    }

    /// Skips `//`, which precedes a host, if it is next.
    @inline(__always)
    mutating func skipSlashes() -> Bool {
        guard bytes[position] == UInt8(ascii: "/"), bytes[position &+ 1] == UInt8(ascii: "/") else { return false }
        position &+= 2
        return true
    }

    /// Reads the scheme and its colon (RFC 3986, section 3.1).
    @inline(__always)
    mutating func readScheme() throws(ActionURLError) -> Int {
        guard isSchemeByte(bytes[0], isFirst: true) else { throw ActionURLError(.missingScheme, at: 0) }
        let position = first(from: 1) { $0.isDisjoint(with: .inScheme) }
        guard bytes[position] == UInt8(ascii: ":") else { throw ActionURLError(.missingScheme, at: 0) }
        self.position = position &+ 1
        return position
    }

    /// Reads a part, up to a byte of one of the classes or to the end, and decodes it.
    @inline(__always)
    mutating func readPart(until stops: ByteClass) throws(ActionURLError) -> URLPart {
        let start = position
        position = first(from: start) { !$0.isPlain(until: stops) }
        if ByteClass(bytes[position]).isDisjoint(with: stops), position < count {
            return try readEncoded(from: start, until: stops)
        }
        let range = Range(uncheckedBounds: (start, position))
        return URLPart(received: range, decoded: range)
    }

    /// Returns the position of the first byte that satisfies a condition; the mark must satisfy it.
    @inline(__always)
    private func first(from start: Int, where holds: (ByteClass) -> Bool) -> Int {
        var position = start
        while true {
            if holds(ByteClass(bytes[position])) { return position }
            position &+= 1
        }
    }

    /// Reads the rest, validating only its characters.
    mutating func readFragment() throws(ActionURLError) {
        position = first(from: position) { $0 == .control }
        guard isAtEnd else { throw ActionURLError(.rawControl, at: position) }
    }

    /// Reads a part that has bytes which do not represent themselves.
    private mutating func readEncoded(from start: Int, until stops: ByteClass) throws(ActionURLError) -> URLPart {
        guard let ends = decode(bytes, count, from: start, until: stops, to: end) else {
            throw fault(from: start, until: stops)
        }
        let part = URLPart(
            received: Range(uncheckedBounds: (start, ends.received)),
            decoded: Range(uncheckedBounds: (end, ends.decoded)))
        position = ends.received
        end = ends.decoded
        return part
    }

    /// Returns the fault of a part: a raw control character in it takes precedence over an encoding fault.
    private func fault(from start: Int, until stops: ByteClass) -> ActionURLError {
        var end = start
        while end < count, ByteClass(bytes[end]).isDisjoint(with: stops) {
            if ByteClass(bytes[end]) == .control { return ActionURLError(.rawControl, at: end) }
            end += 1
        }
        let part = UnsafeBufferPointer(bytes).span.extracting(start..<end)
        do throws(ActionURLError) {
            _ = try percentDecoding(part)
        } catch {
            return ActionURLError(error.reason, at: start + error.offset)
        }
        return ActionURLError(.notUTF8, at: start)
    }
}

/// Writes the decoded form of a part.
///
/// - Parameters:
///   - bytes: The URL followed by the end mark.
///   - count: The number of bytes of the URL.
///   - start: The start of the part.
///   - stops: The classes that end the part.
///   - target: The start of the decoded form.
/// - Returns: The ends of the part and of its decoded form; nil if the part cannot be decoded or contains a raw control
///   character.
@inline(never)
private func decode(
    _ bytes: UnsafeMutableBufferPointer<UInt8>, _ count: Int, from start: Int, until stops: ByteClass,
    to target: Int
) -> (received: Int, decoded: Int)? {
    var position = start
    var end = target
    var allBits: UInt8 = 0
    while true {
        let byteClass = ByteClass(bytes[position])
        var byte = bytes[position]
        if byteClass == .percent {
            // The end mark is not a digit, so no byte after it is decoded.
            guard let escaped = escapedByte(bytes[position &+ 1], bytes[position &+ 2]), escaped != 0 else {
                return nil
            }
            byte = escaped
            position &+= 2
        } else if !byteClass.isDisjoint(with: stops.union(.control)) {
            break
        }
        bytes[end] = byte
        allBits |= byte
        end &+= 1
        position &+= 1
    }
    guard position == count || ByteClass(bytes[position]) != .control,
        allBits < 0x80 || isUTF8(bytes.span.extracting(target..<end))
    else { return nil }
    return (position, end)
}
