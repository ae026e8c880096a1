import XCallbackWire

/// The text formats of typed values: numbers, dates and data in parameters.
///
/// All functions take decoded text in UTF-8, examine it completely, and reject the empty text.
package enum TextForms {
    /// Parses `true`, `yes` or `1`, or `false`, `no` or `0`, in any case.
    ///
    /// - Parameter text: The text.
    /// - Returns: The value; `nil` for any other text.
    package static func boolean(in text: Span<UInt8>) -> Bool? {
        switch text.count {
        case 1: text[0] == UInt8(ascii: "1") ? true : text[0] == UInt8(ascii: "0") ? false : nil
        case 2: areEqualIgnoringCase(text, "no") ? false : nil
        case 3: areEqualIgnoringCase(text, "yes") ? true : nil
        case 4: areEqualIgnoringCase(text, "true") ? true : nil
        case 5: areEqualIgnoringCase(text, "false") ? false : nil
        default: nil
        }
    }

    /// Whether a text is a UUID of RFC 9562: 8-4-4-4-12 hexadecimal digits in any case, of any version.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether the complete text is a UUID, without braces or `urn:uuid:`.
    package static func isUUID(_ text: Span<UInt8>) -> Bool {
        guard text.count == 36 else { return false }
        for index in text.indices {
            switch index {
            case 8, 13, 18, 23:
                guard text[index] == UInt8(ascii: "-") else { return false }
            default:
                guard isHexadecimal(text[index]) else { return false }
            }
        }
        return true
    }

    /// Returns the number of Unicode scalars in a text.
    ///
    /// - Parameter text: Valid UTF-8.
    /// - Returns: The number of bytes that start a scalar. Linear.
    package static func scalarCount(of text: Span<UInt8>) -> Int {
        var count = 0
        for index in text.indices where text[index] & 0b1100_0000 != 0b1000_0000 { count += 1 }
        return count
    }

    /// Returns the value of a decimal digit.
    @inlinable
    package static func digit(_ byte: UInt8) -> UInt8? {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? byte - UInt8(ascii: "0") : nil
    }

    static func isHexadecimal(_ byte: UInt8) -> Bool {
        let lowered = byte | 0x20
        return digit(byte) != nil || lowered >= UInt8(ascii: "a") && lowered <= UInt8(ascii: "f")
    }
}
