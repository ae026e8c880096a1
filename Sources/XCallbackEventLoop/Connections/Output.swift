/// Where sessions write what is to be sent: bytes in one piece of memory that serves one batch after the other.
package struct Output {
    /// The memory; what lies at ``count`` and after it has no meaning.
    private(set) var bytes: [UInt8] = []
    /// How many bytes there are.
    private(set) var count = 0

    /// Appends bytes.
    package mutating func append(_ other: Span<UInt8>) {
        let end = count + other.count
        if end > bytes.count { bytes += repeatElement(0, count: max(end, bytes.count * 2) - bytes.count) }
        let start = count
        bytes.withUnsafeMutableBytes { target in
            other.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: target[start...]).copyMemory(from: $0) }
        }
        count = end
    }

    /// Takes bytes off the end.
    mutating func truncate(to newCount: Int) {
        count = newCount
    }
}
