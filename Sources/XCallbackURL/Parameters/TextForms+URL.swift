import XCallbackWire

extension TextForms {
    /// Whether a text is an absolute URL: a scheme of RFC 3986, a colon, and at least one more character.
    ///
    /// The rest contains no blanks and no control characters, and its percent escapes are complete; non-ASCII text is
    /// accepted. Unknown schemes are accepted too.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether the complete text is an absolute URL.
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

    /// Whether a URL has a scheme, which is given in lower case; URLs may write it in any case.
    static func hasScheme(_ scheme: String, _ text: Span<UInt8>) -> Bool {
        let name = scheme.utf8.span
        guard text.count > name.count, text[name.count] == UInt8(ascii: ":") else { return false }
        return name.indices.allSatisfy { asciiLowercase(text[$0]) == name[$0] }
    }

    /// Returns the position of the colon after a scheme.
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
