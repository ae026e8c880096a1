extension TextForms {
    /// Tells whether a text is an absolute URL: a scheme of RFC 3986, a colon, and something after it.
    ///
    /// What follows the colon has no blanks and no control characters, and its percent escapes are complete; text
    /// beyond ASCII is accepted as it is. Nothing is said about whether the scheme is known.
    ///
    /// - Parameter text: The text to look at.
    /// - Returns: Whether all of it is an absolute URL.
    package static func isURL(_ text: Span<UInt8>) -> Bool {
        guard let colon = endOfScheme(in: text), colon + 1 < text.count else { return false }
        var isASCII = true
        for index in colon + 1..<text.count {
            switch text[index] {
            case UInt8(ascii: "%"):
                guard index + 2 < text.count, isHexadecimal(text[index + 1]), isHexadecimal(text[index + 2]) else {
                    return false
                }
            case 0x21...0x7E: break
            case 0x80...0xFF: isASCII = false
            default: return false
            }
        }
        return isASCII || hasOnlyPrintableScalars(text)
    }

    /// The place of the colon after a scheme.
    private static func endOfScheme(in text: Span<UInt8>) -> Int? {
        let end = text.indices.first { !isSchemeByte(text[$0], isFirst: $0 == 0) }
        return end.flatMap { $0 > 0 && text[$0] == UInt8(ascii: ":") ? $0 : nil }
    }

    private static func hasOnlyPrintableScalars(_ text: Span<UInt8>) -> Bool {
        guard let scalars = try? UTF8Span(validating: text) else { return false }
        var iterator = scalars.makeUnicodeScalarIterator()
        while let scalar = iterator.next() {
            switch scalar.properties.generalCategory {
            case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: return false
            default: break
            }
        }
        return true
    }
}
