import Glibc

/// Surrogate pairs among the escapes of a YAML text, such as `"\ud83d\ude00"`, which is how JSON writes `😀` in ASCII.
///
/// libyaml takes each half for a character of its own and refuses it. So each half is replaced by an escape that is as
/// long, of a character that the text does not have, and what libyaml reads is put together again. All marks stay right.
struct SurrogatePairs {
    /// How many halves there are, and how many characters stand for them.
    private static let count: UInt32 = 0x800
    private static let firstHigh: UInt32 = 0xD800
    private static let firstLow: UInt32 = 0xDC00
    /// How many bytes a half is written in: `\ud83d`.
    private static let width = 6

    /// The first of the characters that stand for halves.
    private let replacement: UInt32

    /// Replaces the pairs that stand in double quotes; nil if there are none.
    ///
    /// - Parameter bytes: The text in UTF-8.
    init?(replacedIn bytes: inout [UInt8]) {
        let starts = Self.starts(in: bytes)
        guard !starts.isEmpty, let replacement = Self.freeBlock(in: bytes) else { return nil }
        self.replacement = replacement
        var copy = bytes
        for start in starts { replace(at: start, in: &copy) }
        // Elsewhere they are no escapes. What libyaml takes for quotes, it tells of the copy.
        var parser = YAMLParser(copy)
        guard var quoted = parser.doubleQuotedTexts()?[...] else {
            // The text has another fault, which is to be found where it is.
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

    /// A text that libyaml has read in double quotes, with its pairs put together.
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

    /// Where pairs begin, if they stand in double quotes.
    private static func starts(in bytes: [UInt8]) -> [Int] {
        // Hardly any text has a backslash.
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
                // What a backslash escapes begins nothing, such as another backslash.
                index += 2
            }
        }
        return starts
    }

    /// The number in an escape of the form `\ud83d`; nil if there is none.
    private static func escape(in bytes: [UInt8], at start: Int) -> UInt32? {
        guard start + width <= bytes.count, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u")
        else { return nil }
        return number(in: bytes[start + 2..<start + width])
    }

    private static func number(in digits: ArraySlice<UInt8>) -> UInt32? {
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// The first of 2,048 characters none of which the text has, neither as itself nor as an escape.
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
        // Characters for private use first; then any that take four digits, but the halves and the last ones.
        let blocks = [0xE000, 0xE800, 0xF000] + Array(stride(from: UInt32(0x2000), to: firstHigh, by: Int(count)))
        return blocks.first { !used.contains($0 / count) }
    }
}
