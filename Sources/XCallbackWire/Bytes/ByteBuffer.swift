/// A byte buffer that is reused for each request.
///
/// Emptying it keeps the memory and costs nothing, unlike `removeAll(keepingCapacity:)` of an array.
@usableFromInline
package struct ByteBuffer: Sendable {
    /// The memory; bytes at ``count`` and beyond are undefined.
    @usableFromInline package var bytes: [UInt8] = []
    /// The number of bytes.
    @usableFromInline package var count = 0

    package init() {}

    /// Whether there are no bytes.
    @inlinable package var isEmpty: Bool { count == 0 }

    /// A copy of the bytes.
    package var contents: [UInt8] { Array(bytes[..<count]) }

    /// Removes bytes at the end, or all of them.
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

    /// Appends bytes.
    package mutating func append(_ other: Span<UInt8>) {
        reserve(other.count)
        let start = count
        bytes.withUnsafeMutableBytes { target in
            other.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: target[start...]).copyMemory(from: $0) }
        }
        count = start + other.count
    }

    /// Appends a text.
    package mutating func append(_ text: StaticString) { text.withUTF8Buffer { append($0.span) } }

    /// Appends the output of a function.
    ///
    /// - Parameters:
    ///   - room: The maximum number of bytes that it writes.
    ///   - body: The function.
    @inlinable @inline(__always)
    package mutating func append(atMost room: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        reserve(room)
        let start = count
        count = bytes.withUnsafeMutableBufferPointer { memory in
            let rest = UnsafeMutableBufferPointer(rebasing: memory[start...])
            var span = OutputSpan(buffer: rest, initializedCount: 0)
            body(&span)
            return start + span.finalize(for: rest)
        }
    }

    /// Makes room for more bytes.
    @inlinable @inline(__always)
    package mutating func reserve(_ more: Int) {
        if count + more > bytes.count { grow(to: count + more) }
    }

    @usableFromInline @inline(never)
    package mutating func grow(to needed: Int) {
        // The usual case takes a third of the time of an append.
        if bytes.isEmpty { return bytes = Array(repeating: 0, count: max(needed, 256)) }
        bytes.append(contentsOf: repeatElement(0, count: max(needed, bytes.count * 2) - bytes.count))
    }
}

extension Array {
    /// Removes all elements, and keeps the memory; if there are few, it costs less than `removeAll(keepingCapacity:)`.
    @inlinable
    package mutating func clear() {
        while !isEmpty { removeLast() }
    }
}
