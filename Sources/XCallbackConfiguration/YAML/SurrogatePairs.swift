import Glibc

/// Surrogate pairs in the escapes of a YAML text, such as `"\ud83d\ude00"`, the ASCII form of `😀` in JSON.
///
/// libyaml treats each half as a character and rejects it. Therefore each half is replaced by an escape of the same
/// length, for a character that the text does not contain, and the pairs are restored in libyaml's output. All marks
/// stay correct.
struct SurrogatePairs {
    /// The number of halves, and of characters that replace them.
    private static let count: UInt32 = 0x800
    private static let firstHigh: UInt32 = 0xD800
    private static let firstLow: UInt32 = 0xDC00
    /// The number of bytes of an escaped half: `\ud83d`.
    private static let width = 6

    /// The first of the replacement characters.
    private let replacement: UInt32

    /// Replaces the pairs in double-quoted strings; nil if there are none.
    ///
    /// - Parameter bytes: The text in UTF-8.
    init?(replacedIn bytes: inout [UInt8]) {
        let starts = Self.starts(in: bytes)
        guard !starts.isEmpty, let replacement = Self.freeBlock(in: bytes) else { return nil }
        self.replacement = replacement
        var copy = bytes
        for start in starts { replace(at: start, in: &copy) }
        // In other places they are not escapes. libyaml finds the quoted strings in a copy.
        var parser = YAMLParser(copy)
        guard var quoted = parser.doubleQuotedTexts()?[...] else {
            // The text has another fault, which is reported at its own place.
            bytes = copy
            return
        }
        var scalarCount = 0
        var counted = 0
        for start in starts {
            scalarCount += bytes[counted..<start].count { $0 & 0xC0 != 0x80 }
            counted = start
            while let first = quoted.first, first.upperBound <= scalarCount { quoted.removeFirst() }
            guard let first = quoted.first else { break }
            if first.contains(scalarCount) { replace(at: start, in: &bytes) }
        }
    }

    /// Returns a double-quoted text from libyaml with its pairs restored.
    func restored(_ text: String) -> String {
        var restored = String.UnicodeScalarView()
        var high: UInt32?
        for scalar in text.unicodeScalars {
            let half = scalar.value &- replacement
            if half >= Self.count {
                restored.append(scalar)
            } else if let first = high {
                let value = 0x10000 + first << 10 + (half & 0x3FF)
                restored.append(Unicode.Scalar(value) ?? "\u{FFFD}")
                high = nil
            } else {
                high = half
            }
        }
        return String(restored)
    }

    private func replace(at start: Int, in bytes: inout [UInt8]) {
        for half in [start, start + Self.width] {
            guard let value = Self.escape(in: bytes, at: half) else { continue }
            let digits = String(value - Self.firstHigh + replacement, radix: 16)
            bytes.replaceSubrange(half + 2..<half + Self.width, with: digits.utf8)
        }
    }

    /// Returns the starts of possible pairs.
    private static func starts(in bytes: [UInt8]) -> [Int] {
        // Few texts contain a backslash.
        guard memchr(bytes, Int32(UInt8(ascii: "\\")), bytes.count) != nil else { return [] }
        var starts: [Int] = []
        var index = 0
        while index + 1 < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            let high = firstHigh..<firstLow
            let low = firstLow..<firstHigh + count
            if let first = escape(in: bytes, at: index), high.contains(first),
                let second = escape(in: bytes, at: index + width), low.contains(second)
            {
                starts.append(index)
                index += 2 * width
            } else {
                // An escaped character, such as another backslash, does not start an escape.
                index += 2
            }
        }
        return starts
    }

    /// Returns the number of an escape of the form `\ud83d`; nil if there is none.
    private static func escape(in bytes: [UInt8], at start: Int) -> UInt32? {
        guard start + width <= bytes.count, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u")
        else { return nil }
        return number(in: bytes[start + 2..<start + width])
    }

    private static func number(in digits: ArraySlice<UInt8>) -> UInt32? {
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// Returns the first of 2,048 characters that the text does not contain, neither directly nor escaped.
    private static func freeBlock(in bytes: [UInt8]) -> UInt32? {
        var used = Set(String(decoding: bytes, as: UTF8.self).unicodeScalars.lazy.map { $0.value / count })
        for index in bytes.indices.dropLast() where bytes[index] == UInt8(ascii: "\\") {
            let digitCount =
                switch bytes[index + 1] {
                case UInt8(ascii: "u"): 4
                case UInt8(ascii: "U"): 8
                default: 0
                }
            guard digitCount > 0, index + 2 + digitCount <= bytes.count else { continue }
            if let value = number(in: bytes[index + 2..<index + 2 + digitCount]) { used.insert(value / count) }
        }
        // Private-use characters first, then any others with four digits, except the surrogates and the last characters.
        let blocks = [0xE000, 0xE800, 0xF000] + Array(stride(from: UInt32(0x2000), to: firstHigh, by: Int(count)))
        return blocks.first { !used.contains($0 / count) }
    }
}
