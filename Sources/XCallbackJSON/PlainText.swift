/// Where a JSON string ends whose bytes stand for themselves.
///
/// - Parameters:
///   - text: The text that the string stands in.
///   - start: The position after its first quote.
/// - Returns: The position of its last quote; nil if it has escapes, or is no string in UTF-8.
package func endOfPlainString(in text: Span<UInt8>, from start: Int) -> Int? {
    var allBits: UInt64 = 0
    let end = endOfPlain(in: text, from: start, &allBits)
    guard end < text.count, text[unchecked: end] == UInt8(ascii: "\"") else { return nil }
    return isUTF8(text.extracting(start..<end), allBits) ? end : nil
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

/// Whether bytes are UTF-8, given all of them joined by OR into each other.
func isUTF8(_ bytes: Span<UInt8>, _ allBits: UInt64) -> Bool {
    guard allBits & 0x8080_8080_8080_8080 != 0 else { return true }
    do {
        _ = try UTF8Span(validating: bytes)
        return true
    } catch {
        return false
    }
}
