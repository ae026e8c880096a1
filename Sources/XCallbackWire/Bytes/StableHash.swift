/// A hash that is the same in every run (FNV-1a), so that stored data stays valid across reloads.
package func stableHash(_ text: String) -> UInt64 { stableHash(text.utf8.span) }

/// The same hash of bytes.
package func stableHash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash = 0xCBF2_9CE4_8422_2325 as UInt64
    for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
    return hash
}
