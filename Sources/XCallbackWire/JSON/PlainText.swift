/// Whether a text is UTF-8 and needs no escape in a JSON string.
package func isPlainText(_ text: Span<UInt8>) -> Bool {
    needsNoEscape(text) && isUTF8(text)
}

/// Whether no byte of a text needs an escape in a JSON string.
package func needsNoEscape(_ text: Span<UInt8>) -> Bool {
    endOfPlain(in: text, from: 0) == text.count
}

/// Returns the position of the first quote, backslash or control character, or the end of the text.
func endOfPlain(in text: Span<UInt8>, from start: Int) -> Int {
    var end = start
    while end < text.count, isPlain(text[end]) { end += 1 }
    return end
}

/// Whether a byte needs no escape in a string.
func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// Whether bytes are UTF-8.
func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    do {
        _ = try UTF8Span(validating: bytes)
        return true
    } catch {
        return false
    }
}
