import Glibc

/// Returns the position of the first line feed at or after a position; nil if there is none.
func indexOfLineFeed(in bytes: Span<UInt8>, from start: Int) -> Int? {
    bytes.withUnsafeBytes { buffer in
        guard start < buffer.count, let base = buffer.baseAddress,
            let found = memchr(base + start, Int32(UInt8(ascii: "\n")), buffer.count - start)
        else { return nil }
        return base.distance(to: UnsafeRawPointer(found))
    }
}
