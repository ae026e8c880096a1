/// Bytes in one piece of memory that serves one request after the other.
///
/// Emptying it keeps the memory and costs nothing, unlike `removeAll(keepingCapacity:)` of an array.
@usableFromInline
package struct ByteBuffer: Sendable {
    /// The memory; what lies at ``count`` and after it has no meaning.
    @usableFromInline package internal(set) var bytes: [UInt8] = []
    /// How many bytes there are.
    @usableFromInline package internal(set) var count = 0

    /// Creates an empty buffer.
    package init() {}

    /// Whether there are no bytes.
    @inlinable package var isEmpty: Bool { count == 0 }

    /// A copy of the bytes.
    package var contents: [UInt8] { Array(bytes[..<count]) }

    /// Takes bytes off the end, or all of them.
    package mutating func truncate(to newCount: Int = 0) {
        count = newCount
    }

    /// Appends a byte.
    @inlinable
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        bytes[count] = byte
        count += 1
    }

    /// Appends bytes of another buffer.
    package mutating func append(_ other: Span<UInt8>) {
        reserve(other.count)
        let start = count
        bytes.withUnsafeMutableBytes { target in
            other.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: target[start...]).copyMemory(from: $0) }
        }
        count = start + other.count
    }

    /// Appends text in percent encoding: every byte that is not unreserved becomes `%XX` (RFC 3986, section 2).
    package mutating func append(percentEncoding text: Span<UInt8>) {
        write(atMost: text.count * 3) { $0.write(percentEncoding: text) }
    }

    /// Appends what a function writes.
    ///
    /// - Parameters:
    ///   - room: How many bytes it writes at most.
    ///   - body: The function.
    @inline(__always)
    mutating func write(atMost room: Int, _ body: (inout ByteWriter) -> Void) {
        reserve(room)
        let start = count
        count = bytes.withUnsafeMutableBufferPointer { target in
            var writer = ByteWriter(target, at: start)
            body(&writer)
            return writer.end
        }
    }

    /// Appends what percent-encoded text stands for, decoded once.
    ///
    /// A `+` stays a plus unless the text comes from a form. After a throw nothing is appended.
    ///
    /// - Parameters:
    ///   - text: The encoded text.
    ///   - plusIsSpace: Whether `+` stands for a space, as HTML forms write it.
    /// - Throws: ``PercentDecodingFault`` when an escape is bad or the result is not UTF-8 without NUL.
    package mutating func append(
        percentDecoding text: Span<UInt8>, plusIsSpace: Bool = false
    ) throws(PercentDecodingFault) {
        reserve(text.count)
        let start = count
        let (length, allBits) = try text.withUnsafeBufferPointer { text throws(PercentDecodingFault) in
            // The decoded form is never longer than the text, so that what is written fits into the room.
            try bytes.withUnsafeMutableBufferPointer { target throws(PercentDecodingFault) in
                try decode(text, plusIsSpace: plusIsSpace, into: target, at: start)
            }
        }
        guard isText(start..<start + length, allBits) else { throw .notUTF8 }
        count = start + length
    }

    /// Whether bytes are UTF-8, given all of them joined by OR.
    private func isText(_ range: Range<Int>, _ allBits: UInt8) -> Bool {
        allBits < 0x80 || isUTF8(bytes.span.extracting(range))
    }

    /// Makes room for more bytes.
    @inlinable @inline(__always)
    mutating func reserve(_ more: Int) {
        if count + more > bytes.count { grow(to: count + more) }
    }

    @usableFromInline @inline(never)
    package mutating func grow(to needed: Int) {
        // The usual case, which costs a third of an append.
        if bytes.isEmpty { return bytes = Array(repeating: 0, count: max(needed, 256)) }
        bytes.append(contentsOf: repeatElement(0, count: max(needed, bytes.count * 2) - bytes.count))
    }
}

/// Decodes text into memory that has room for it.
///
/// - Returns: How many bytes were written, and all of them joined by OR.
private func decode(
    _ text: UnsafeBufferPointer<UInt8>, plusIsSpace: Bool, into target: UnsafeMutableBufferPointer<UInt8>,
    at start: Int
) throws(PercentDecodingFault) -> (length: Int, allBits: UInt8) {
    // Nothing that is a byte of its own is the percent sign, so without a form nothing stands for a space.
    let space = plusIsSpace ? UInt8(ascii: "+") : UInt8(ascii: "%")
    var end = start
    var index = 0
    var allBits: UInt8 = 0
    while index < text.count {
        var byte = text[index]
        index &+= 1
        if byte <= UInt8(ascii: "%") {
            if byte == UInt8(ascii: "%") {
                guard index &+ 1 < text.count, let escaped = escapedByte(text[index], text[index &+ 1]) else {
                    throw .badEscape
                }
                byte = escaped
                index &+= 2
            }
            guard byte != 0 else { throw .nul }
        } else if byte == space {
            byte = UInt8(ascii: " ")
        }
        allBits |= byte
        target[end] = byte
        end &+= 1
    }
    return (end - start, allBits)
}
