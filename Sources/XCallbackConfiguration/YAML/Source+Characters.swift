/// A character that is not allowed in a configuration file.
struct BadCharacter {
    /// The line, starting at 1.
    var line = 1
    /// The number of Unicode scalars before it in its line.
    var offset = 0
    /// The character that was found and the expected one.
    var message = ""
}

extension Source {
    /// The first byte that is not UTF-8, or the first character that YAML does not allow unescaped; nil if there is none.
    ///
    /// Line breaks other than LF and CR LF are rejected too: YAML 1.1 considers them line breaks but editors do not, so
    /// a comment could hide a line.
    var firstBadCharacter: BadCharacter? {
        if isPlain { return nil }
        var place = BadCharacter()
        var offset = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            var length = 1
            if byte == UInt8(ascii: "\n") {
                place.line += 1
                place.offset = -1
            } else if !(0x20...0x7E).contains(byte), byte != UInt8(ascii: "\t") {
                guard let scalar = Self.firstScalar(in: bytes[offset...]) else {
                    let digits = String(byte, radix: 16, uppercase: true)
                    place.message = "expected UTF-8 text, found the byte 0x\(digits)"
                    return place
                }
                let isLineEnd = scalar == "\r" && bytes[offset...].starts(with: "\r\n".utf8)
                guard isLineEnd || Self.isAllowed(scalar) else {
                    let name = String(Character(scalar)).visible
                    place.message = "\(name) is not allowed here; it can be written as an escape in double quotes"
                    return place
                }
                length = UTF8.width(scalar)
            }
            offset += length
            place.offset += 1
        }
        return nil
    }

    private static func firstScalar(in bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        guard case .valid(let encoded) = parser.parseScalar(from: &iterator) else { return nil }
        return Unicode.UTF8.decode(encoded)
    }

    /// Whether a character other than printable ASCII, tab and line feed is allowed in a file.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: false
        default: scalar.value >= 0xA0
        }
    }
}
