/// A line of a client, with the expected outcome.
package struct GeneratedLine {
    /// The daemon's expected reaction to a line.
    package enum Outcome: Equatable {
        /// Exactly this answer.
        case answer([UInt8])
        /// Any answer, on a connection that stays open.
        case anyAnswer
        /// An error answer, after which the connection is closed.
        case end
    }

    /// The bytes, without a line feed; never empty.
    package let bytes: [UInt8]
    /// The expected outcome.
    package let outcome: Outcome

    /// Returns a valid line of the echo route.
    package static func valid(_ random: inout SeededGenerator) -> GeneratedLine {
        var bytes = Array(forms[random.below(forms.count)].utf8)
        var encoded: [UInt8] = []
        appendValue(&random, to: &bytes, encoded: &encoded)
        var answer = Array("xcallback://x-callback-url/success?v=".utf8)
        if random.below(4) == 0 {
            let (sent, written) = callbacks[random.below(callbacks.count)]
            bytes += Array("&x-success=\(sent)".utf8)
            answer = Array("\(written)v=".utf8)
        }
        if random.below(8) == 0 { bytes += Array("#fragment".utf8) }
        if random.below(4) == 0 { bytes.append(UInt8(ascii: "\r")) }
        return GeneratedLine(bytes: bytes, outcome: .answer(answer + encoded))
    }

    /// Returns a line of any kind: valid, damaged, truncated, huge, binary or deeply nested.
    package static func any(_ random: inout SeededGenerator) -> GeneratedLine {
        switch random.below(100_000) {
        case 0..<67_000: return valid(&random)
        case 67_000..<87_000: return damaged(&random)
        case 87_000..<95_000: return cut(&random)
        case 95_000..<98_000: return nested(&random)
        case 98_000..<99_980: return binary(&random)
        default: return huge(&random)
        }
    }

    /// Classifies arbitrary bytes, for a given maximum length of a line.
    package init?(classifying bytes: [UInt8], limit: Int = 65_536) {
        var line = bytes[...]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if line.isEmpty { return nil }
        self.bytes = bytes
        let hasControl = line.contains { $0 <= 0x20 || $0 == 0x7f }
        let ends = line.count > limit || hasControl || !hasScheme(line)
        outcome = ends ? .end : .anyAnswer
    }

    private init(bytes: [UInt8], outcome: Outcome) {
        self.bytes = bytes
        self.outcome = outcome
    }
}

// MARK: - Kinds of lines

extension GeneratedLine {
    private static let forms = [
        "notes:/echo?v=", "notes:echo?v=", "notes:///echo?v=", "notes://x-callback-url/echo?v=",
        "NOTES://X-Callback-URL/echo?v=", "notes:/x-callback-url/echo?v=", "notes://echo?v=", "notes:/%65cho/?v=",
        "notes:/echo?a=b&&c&v=", "notes:/echo?X-Other=1&v=",
    ]

    /// Callbacks as sent, and as written before the items of an answer.
    private static let callbacks = [
        ("app:", "app:?"), ("app%3A%2F%2Fdone%3Fid%3D7", "app://done?id=7&"), ("app://done", "app://done?"),
        ("app%3Adone%3Fv%3Dold%26w%3D%2525", "app:done?w=%25&"),
    ]

    private static func appendValue(_ random: inout SeededGenerator, to bytes: inout [UInt8], encoded: inout [UInt8]) {
        for _ in 0..<random.below(16) {
            switch random.below(8) {
            case 0: appendScalar(&random, to: &bytes, encoded: &encoded)
            case 1:
                let byte = UInt8(1 + random.below(0x7f))
                appendEscape(byte, to: &bytes, lowercase: random.below(2) == 0)
                appendEncoded(byte, to: &encoded)
            default:
                let byte = UInt8(ascii: "a") + UInt8(random.below(26))
                bytes.append(byte)
                encoded.append(byte)
            }
        }
    }

    /// Appends a non-ASCII character, verbatim or as escapes.
    private static func appendScalar(_ random: inout SeededGenerator, to bytes: inout [UInt8], encoded: inout [UInt8]) {
        let scalar = Unicode.Scalar(UInt32(0x80 + random.below(0xD000))) ?? "é"
        let isRaw = random.below(2) == 0
        for byte in UTF8.encode(scalar).map(Array.init) ?? [] {
            if isRaw { bytes.append(byte) } else { appendEscape(byte, to: &bytes, lowercase: false) }
            appendEscape(byte, to: &encoded, lowercase: false)
        }
    }

    private static func appendEncoded(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            bytes.append(byte)
        default: appendEscape(byte, to: &bytes, lowercase: false)
        }
    }

    private static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8], lowercase: Bool) {
        let letter = lowercase ? UInt8(ascii: "a") : UInt8(ascii: "A")
        bytes.append(UInt8(ascii: "%"))
        for digit in [byte >> 4, byte & 15] {
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : letter + digit - 10)
        }
    }

    /// Returns a valid line with some bytes changed, inserted or removed.
    private static func damaged(_ random: inout SeededGenerator) -> GeneratedLine {
        var bytes = valid(&random).bytes
        for _ in 0...random.below(3) {
            let position = random.below(bytes.count)
            let marks = Array("%/?#&=:@[]+;,".utf8)
            // Arbitrary bytes are rare, because many of them end the connection.
            let byte = random.below(20) == 0 ? UInt8(random.below(256)) : marks[random.below(marks.count)]
            switch random.below(3) {
            case 0: bytes[position] = byte
            case 1: bytes.insert(byte, at: position)
            default: if bytes.count > 1 { bytes.remove(at: position) }
            }
        }
        return line(bytes)
    }

    private static func cut(_ random: inout SeededGenerator) -> GeneratedLine {
        let bytes = valid(&random).bytes
        // Some are truncated within the scheme, and end the connection.
        let shortest = random.below(20) == 0 ? 1 : 6
        return line(Array(bytes.prefix(shortest + random.below(bytes.count - shortest))))
    }

    /// Nested callbacks, very many segments, or more items than allowed.
    private static func nested(_ random: inout SeededGenerator) -> GeneratedLine {
        switch random.below(4) {
        case 0: return line(Array(("notes:/" + String(repeating: "a/", count: 1 + random.below(200))).utf8))
        case 1: return line(Array(("notes:/echo?" + String(repeating: "k&", count: 1 + random.below(400))).utf8))
        case 2: return line(Array(("notes:/echo?v=%" + String(repeating: "25", count: 1 + random.below(200))).utf8))
        default:
            var callback = "notes:/echo"
            for depth in 0..<random.below(6) {
                callback =
                    "notes:/echo?x-success=" + callback.replacing("%", with: "%25").replacing("&", with: "%26")
                    + "&x-error=a:&depth=\(depth)"
            }
            return line(Array(callback.utf8))
        }
    }

    private static func binary(_ random: inout SeededGenerator) -> GeneratedLine {
        line((0...random.below(60)).map { _ in UInt8(random.below(256)) })
    }

    /// Returns a line of about the maximum length.
    private static func huge(_ random: inout SeededGenerator) -> GeneratedLine {
        let value = [UInt8](repeating: UInt8(ascii: "a"), count: 65_500 + random.below(45))
        let bytes = Array("notes:/echo?v=".utf8) + value
        if bytes.count > 65_536 { return GeneratedLine(bytes: bytes, outcome: .end) }
        return GeneratedLine(
            bytes: bytes, outcome: .answer(Array("xcallback://x-callback-url/success?v=".utf8) + value))
    }

    private static func line(_ bytes: [UInt8]) -> GeneratedLine {
        let bytes = bytes.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: "/") : $0 }
        return GeneratedLine(classifying: bytes) ?? GeneratedLine(bytes: [UInt8(ascii: "a")], outcome: .end)
    }
}

/// Whether a line starts with a scheme and a colon.
private func hasScheme(_ line: ArraySlice<UInt8>) -> Bool {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { return false }
    let scheme = line[..<colon]
    func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
    return isLetter(scheme[scheme.startIndex])
        && scheme.allSatisfy { byte in
            isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
}
