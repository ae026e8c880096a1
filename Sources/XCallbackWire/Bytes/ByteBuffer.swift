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
    ///
    /// It is inlined, so that the text of a literal is copied in a few instructions.
    @inlinable @inline(__always)
    package mutating func append(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        reserve(count)
        let start = self.count
        bytes.withUnsafeMutableBytes { target in
            UnsafeMutableRawBufferPointer(rebasing: target[start...]).copyMemory(
                from: UnsafeRawBufferPointer(start: text.utf8Start, count: count))
        }
        self.count = start + count
    }

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

/// A range of bytes with 32-bit bounds.
///
/// Ranges are stored for each part of each request; the buffers that they refer to are far smaller than 4 GiB.
@usableFromInline
package struct ByteRange: Hashable, Sendable {
    @usableFromInline let start: UInt32
    @usableFromInline let end: UInt32

    /// Creates the compact form of a range.
    @inlinable package init(_ range: Range<Int>) {
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        end = UInt32(truncatingIfNeeded: range.upperBound)
    }

    @inlinable package var range: Range<Int> { Int(start)..<Int(end) }
    /// Whether it means no range: it is at the very start of a buffer, where only a scheme can be.
    @inlinable package var isAbsent: Bool { end == 0 }
}
