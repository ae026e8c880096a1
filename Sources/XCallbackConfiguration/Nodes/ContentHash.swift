/// A hash of content that is the same in every process (FNV-1a), so that two processes can compare what they have read.
package struct ContentHash {
    /// The hash of everything combined so far.
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Creates the hash of nothing.
    package init() {}

    /// Adds a number.
    package mutating func combine(_ number: Int) { combine(UInt64(bitPattern: Int64(number))) }

    /// Adds another hash.
    package mutating func combine(_ hash: UInt64) {
        for shift in stride(from: 0 as UInt64, to: 64, by: 8) { combine(UInt8(truncatingIfNeeded: hash >> shift)) }
    }

    /// Adds the bytes of a text, and their number.
    package mutating func combine(_ text: String) {
        combine(text.utf8.count)
        var text = text
        text.withUTF8 { for byte in $0 { combine(byte) } }
    }

    private mutating func combine(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
