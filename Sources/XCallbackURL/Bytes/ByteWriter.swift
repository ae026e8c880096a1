/// Writes bytes one after the other into memory that is known to have room for them.
///
/// Whoever makes one says how much is written at most; a debug build checks each byte against it.
struct ByteWriter {
    private let target: UnsafeMutableBufferPointer<UInt8>
    /// The position after the last byte.
    private(set) var end: Int

    @inline(__always)
    init(_ target: UnsafeMutableBufferPointer<UInt8>, at end: Int) {
        self.target = target
        self.end = end
    }

    /// Writes a byte.
    @inline(__always)
    mutating func write(_ byte: UInt8) {
        target[end] = byte
        end &+= 1
    }

    /// Writes bytes as they are.
    @inline(__always)
    mutating func write(_ bytes: Span<UInt8>) {
        assert(bytes.count <= target.count - end)
        bytes.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress, let target = target.baseAddress else { return }
            UnsafeMutableRawPointer(target + end).copyMemory(from: source, byteCount: bytes.count)
        }
        end &+= bytes.count
    }

    /// Writes text in percent encoding, at most three bytes for each one.
    @inline(__always)
    mutating func write(percentEncoding text: Span<UInt8>) {
        // Local, as a pointer could point to the writer itself.
        let target = target
        var end = end
        for index in text.indices {
            let byte = text[unchecked: index]
            if isUnreserved(byte) {
                target[end] = byte
                end &+= 1
            } else {
                target[end] = UInt8(ascii: "%")
                target[end &+ 1] = upperHexadecimalDigit(byte >> 4)
                target[end &+ 2] = upperHexadecimalDigit(byte & 15)
                end &+= 3
            }
        }
        self.end = end
    }
}

@inline(__always)
private func upperHexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
}
