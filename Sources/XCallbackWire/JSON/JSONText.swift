/// Whether no byte of a text needs an escape in a JSON string.
package func needsNoEscape(_ text: Span<UInt8>) -> Bool {
    endOfPlain(in: text, from: 0) == text.count
}

/// Returns the position of the first quote, backslash or control character, or the end of the text.
func endOfPlain(in text: Span<UInt8>, from start: Int) -> Int {
    var end = start
    // Eight bytes at a time.
    while end + 8 <= text.count {
        let word = text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: end, as: UInt64.self)
        let marks = marksOfSpecialBytes(in: UInt64(littleEndian: word))
        if marks != 0 { return end + marks.trailingZeroBitCount / 8 }
        end += 8
    }
    while end < text.count, isPlain(text[end]) { end += 1 }
    return end
}

/// Marks the first of eight bytes that needs an escape in a string, if there is one, by its highest bit; bytes after it can
/// be marked, too.
///
/// Subtracting a number from each byte sets the highest bit of those that are less, unless it was set before.
private func marksOfSpecialBytes(in bytes: UInt64) -> UInt64 {
    let each: UInt64 = 0x0101_0101_0101_0101
    let (quotes, backslashes) = (bytes ^ each &* 0x22, bytes ^ each &* 0x5C)
    let borrows = (bytes &- each &* 0x20) | (quotes &- each) | (backslashes &- each)
    return borrows & ~bytes & (each &* 0x80)
}

/// Whether a byte needs no escape in a string.
func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// An escape in a string: `\n`, `\u00e9`, or a surrogate pair.
struct JSONEscape {
    /// The character; nil for a surrogate without a partner.
    let scalar: Unicode.Scalar?
    /// The number of bytes of the escape.
    let length: Int

    /// Parses an escape that starts with `\`.
    init(of text: Span<UInt8>, at position: Int) throws(JSONError) {
        guard position + 1 < text.count else { throw JSONError(reason: .unexpectedEnd, offset: text.count) }
        if let byte = escapedByte(text[position + 1]) {
            scalar = Unicode.Scalar(byte)
            length = 2
            return
        }
        let first = try codeUnit(of: text, at: position)
        if UTF16.isLeadSurrogate(first), let second = Self.trailSurrogate(of: text, at: position + 6) {
            scalar = Unicode.Scalar(0x1_0000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF)
            length = 12
        } else {
            scalar = Unicode.Scalar(UInt32(first))
            length = 6
        }
    }

    private static func trailSurrogate(of text: Span<UInt8>, at position: Int) -> UInt16? {
        guard position < text.count, text[position] == UInt8(ascii: "\\") else { return nil }
        // Other text after it is reported later, at its own position.
        guard let unit = try? codeUnit(of: text, at: position) else { return nil }
        return UTF16.isTrailSurrogate(unit) ? unit : nil
    }
}

/// Parses `\uXXXX`.
private func codeUnit(of text: Span<UInt8>, at position: Int) throws(JSONError) -> UInt16 {
    guard position + 1 < text.count, text[position + 1] == UInt8(ascii: "u") else {
        throw JSONError(reason: .badEscape, offset: position)
    }
    var unit: UInt16 = 0
    for index in position + 2..<position + 6 {
        guard index < text.count else { throw JSONError(reason: .unexpectedEnd, offset: text.count) }
        guard let digit = value(ofDigit: text[index]) else { throw JSONError(reason: .badEscape, offset: position) }
        unit = unit << 4 | UInt16(digit)
    }
    return unit
}

/// Returns the value of a hexadecimal digit.
private func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// Returns the character for a letter after `\`; nil for `u` and for invalid escapes.
private func escapedByte(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
}
