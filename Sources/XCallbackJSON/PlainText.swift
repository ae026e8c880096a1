/// Two words of a text.
private typealias Block = SIMD2<UInt64>

/// Whether a text is UTF-8 and needs no escape in a JSON string.
package func isPlainText(_ text: Span<UInt8>) -> Bool {
    var allBits: UInt64 = 0
    return isPlain(text, &allBits) && isUTF8(0..<text.count, of: text, allBits)
}

/// Whether no byte of a text needs an escape in a JSON string.
package func needsNoEscape(_ text: Span<UInt8>) -> Bool {
    var allBits: UInt64 = 0
    return isPlain(text, &allBits)
}

/// Whether no byte of a text needs an escape; the bytes of such a text are combined with OR.
@inline(__always)
func isPlain(_ text: Span<UInt8>, _ allBits: inout UInt64) -> Bool {
    text.count < 16 ? isPlain(short: text.bytes, &allBits) : isPlain(long: text.bytes, &allBits)
}

/// The same for a text of at least 16 bytes.
private func isPlain(long bytes: RawSpan, _ allBits: inout UInt64) -> Bool {
    let last = bytes.byteCount &- 16
    var blockBits = Block()
    var start = 0
    while true {
        let block = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: Block.self)
        let hits = highBitsOfSpecial(in: block)
        if hits[0] | hits[1] != 0 { return false }
        blockBits |= block
        if start == last { break }
        // The last block overlaps the one before it, so that all blocks are complete.
        start = min(start &+ 16, last)
    }
    allBits |= blockBits[0] | blockBits[1]
    return true
}

/// The same for a text of less than 16 bytes.
@inline(__always)
private func isPlain(short bytes: RawSpan, _ allBits: inout UInt64) -> Bool {
    let count = bytes.byteCount
    var word: UInt64 = 0x2020_2020_2020_2020
    if count >= 8 {
        let first = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self)
        word = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 8, as: UInt64.self)
        allBits |= first
        if highBitsOfSpecial(in: first) != 0 { return false }
    } else if count >= 4 {
        // Here, too, reading bytes twice does no harm.
        let first = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self)
        let last = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 4, as: UInt32.self)
        word = UInt64(first) << 32 | UInt64(last)
    } else if count > 0 {
        for offset in [0, count / 2, count &- 1] {
            word = word << 8 | UInt64(bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
        }
    }
    allBits |= word
    return highBitsOfSpecial(in: word) == 0
}

/// Returns the position of the first quote, backslash or control character, or the end of the text.
///
/// - Parameters:
///   - text: The text.
///   - start: The position at which to start.
///   - allBits: Combined with the bytes before the result by OR.
/// - Returns: The position.
func endOfPlain(in text: Span<UInt8>, from start: Int, _ allBits: inout UInt64) -> Int {
    let bytes = text.bytes
    var end = start
    while end &+ 8 <= text.count {
        let word = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: end, as: UInt64.self).littleEndian
        let hits = highBitsOfSpecial(in: word)
        guard hits == 0 else {
            let plainBits = UInt64(truncatingIfNeeded: hits.trailingZeroBitCount & ~7)
            allBits |= word & (1 &<< plainBits &- 1)
            return end &+ Int(truncatingIfNeeded: plainBits) / 8
        }
        allBits |= word
        end &+= 8
    }
    while end < text.count {
        let byte = text[unchecked: end]
        guard isPlain(byte) else { break }
        allBits |= UInt64(byte)
        end &+= 1
    }
    return end
}

/// Whether a byte needs no escape in a string.
@inline(__always)
func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// Returns the highest bit of each byte of a word that needs an escape; only the lowest set bit is reliable.
@inline(__always)
func highBitsOfSpecial(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = (word ^ (ones &* UInt64(UInt8(ascii: "\"")))) &- ones
    let backslashes = (word ^ (ones &* UInt64(UInt8(ascii: "\\")))) &- ones
    let controls = word &- ones &* 0x20
    // Special bytes are ASCII: in any other byte, the highest bit was already set.
    return (quotes | backslashes | controls) & ~word & (ones << 7)
}

/// The same for two words at once.
@inline(__always)
private func highBitsOfSpecial(in block: Block) -> Block {
    let ones = Block(repeating: 0x0101_0101_0101_0101)
    let quotes = (block ^ (ones &* UInt64(UInt8(ascii: "\"")))) &- ones
    let backslashes = (block ^ (ones &* UInt64(UInt8(ascii: "\\")))) &- ones
    let controls = block &- ones &* 0x20
    return (quotes | backslashes | controls) & ~block & (ones &* 0x80)
}

/// Whether bytes of a text are UTF-8, given the OR of all of them.
@inline(__always)
func isUTF8(_ range: Range<Int>, of text: Span<UInt8>, _ allBits: UInt64) -> Bool {
    allBits & 0x8080_8080_8080_8080 == 0 || isUTF8(text.extracting(range))
}

@inline(never)
private func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    do {
        _ = try UTF8Span(validating: bytes)
        return true
    } catch {
        return false
    }
}
