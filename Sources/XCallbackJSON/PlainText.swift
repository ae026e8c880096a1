/// Two words of a text.
private typealias Block = SIMD2<UInt64>

/// Whether a text is UTF-8 whose bytes stand for themselves in a JSON string.
package func isPlainText(_ text: Span<UInt8>) -> Bool {
    var allBits: UInt64 = 0
    return isPlain(text, &allBits) && isUTF8(0..<text.count, of: text, allBits)
}

/// Whether all bytes of a text stand for themselves in a JSON string.
package func needsNoEscape(_ text: Span<UInt8>) -> Bool {
    var allBits: UInt64 = 0
    return isPlain(text, &allBits)
}

/// Whether all bytes of a text stand for themselves in a string; those of a plain one are joined by OR.
@inline(__always)
func isPlain(_ text: Span<UInt8>, _ allBits: inout UInt64) -> Bool {
    text.count < 16 ? isPlain(short: text.bytes, &allBits) : isPlain(long: text.bytes, &allBits)
}

/// The same for a text of 16 bytes at least.
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
        // The last block overlaps the one before it, so that none is cut.
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
        // Here, too, what is read twice is no harm.
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

/// Where the first byte stands that is a quote, a backslash or a control character, or the end of the text.
///
/// - Parameters:
///   - text: The text.
///   - start: Where to look.
///   - allBits: The bytes before that are joined into it by OR.
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

/// Whether a byte stands for itself in a string.
@inline(__always)
func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// The highest bit of each byte of a word that is special in a string; only the lowest one that is set is sure.
@inline(__always)
func highBitsOfSpecial(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = (word ^ (ones &* UInt64(UInt8(ascii: "\"")))) &- ones
    let backslashes = (word ^ (ones &* UInt64(UInt8(ascii: "\\")))) &- ones
    let controls = word &- ones &* 0x20
    // Of a byte with the highest bit, which none of them has, it was set before.
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

/// Whether some bytes of a text are UTF-8, given all of them joined by OR into each other.
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
