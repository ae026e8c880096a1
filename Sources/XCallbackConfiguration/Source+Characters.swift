/// A character that must not stand in a configuration file.
struct BadCharacter {
    /// The line, from 1.
    var line = 1
    /// How many Unicode scalars stand before it in its line.
    var offset = 0
    /// What was found and what was expected.
    var message = ""
}

extension Source {
    /// Finds the first byte that is not UTF-8 or the first character that YAML does not allow as itself.
    ///
    /// Line ends other than LF and CR LF are refused too: YAML 1.1 counts them as line ends, editors do not, and a
    /// comment could hide a line.
    static func firstBadCharacter(in bytes: [UInt8]) -> BadCharacter? {
        var bad = BadCharacter()
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput:
                return nil
            case .error:
                let byte = offset < bytes.count ? bytes[offset] : 0
                bad.message = "expected UTF-8 text, found the byte 0x" + String(byte, radix: 16, uppercase: true)
                return bad
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                offset += encoded.count
                let isBeforeLineFeed = offset < bytes.count && bytes[offset] == UInt8(ascii: "\n")
                if !isAllowed(scalar), scalar != "\r" || !isBeforeLineFeed {
                    let character = String(Character(scalar)).visible
                    bad.message = "\(character) is not allowed here; it can be written as an escape in double quotes"
                    return bad
                }
                bad.offset = scalar == "\n" ? 0 : bad.offset + 1
                if scalar == "\n" { bad.line += 1 }
            }
        }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x20...0x7E: true
        case 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: false
        default: scalar.value >= 0xA0
        }
    }
}
