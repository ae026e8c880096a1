/// A regular language over bytes: the texts that a capture type accepts.
///
/// It determines whether two routes can answer the same action, so it must be exactly what the type accepts.
package indirect enum TextLanguage: Hashable, Sendable {
    /// One byte of a set.
    case byte(ByteSet)
    /// A concatenation of languages; the empty text if there are none.
    case sequence([TextLanguage])
    /// One of several languages; no text at all if there are none.
    case choice([TextLanguage])
    /// A repeated language; unbounded if `most` is nil.
    case repetition(TextLanguage, least: Int, most: Int?)
}

extension TextLanguage {
    /// One text.
    package static func text(_ bytes: some Sequence<UInt8>) -> Self {
        .sequence(bytes.map { .byte(ByteSet($0...$0)) })
    }

    /// One ASCII text, case-insensitively.
    package static func textInAnyCase(_ text: StaticString) -> Self {
        let bytes = text.withUTF8Buffer { Array($0) }
        return .sequence(
            bytes.map { byte in
                guard (0x61...0x7A).contains(byte | 0x20) else { return .byte(ByteSet(byte...byte)) }
                let (lower, upper) = (byte | 0x20, byte & 0xDF)
                return .byte(ByteSet(lower...lower, upper...upper))
            })
    }

    /// One of the bytes of an ASCII text.
    package static func anyByte(of text: StaticString) -> Self { .byte(ByteSet(text)) }

    /// The language, or the empty text.
    package var optional: Self { .repetition(self, least: 0, most: 1) }

    /// The language repeated a number of times.
    package func times(_ count: Int) -> Self { .repetition(self, least: count, most: count) }

    /// The language repeated at least a number of times.
    package func atLeast(_ count: Int) -> Self { .repetition(self, least: count, most: nil) }

    /// One decimal digit.
    package static let digit = Self.byte(ByteSet(0x30...0x39))

    /// The UTF-8 of one Unicode scalar of a range.
    package static func scalar(in range: ClosedRange<UInt32>) -> Self {
        // Ranges with the same number of bytes, without the surrogates, which have no UTF-8.
        let blocks: [ClosedRange<UInt32>] = [
            0...0x7F, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF, 0x1_0000...0x10_FFFF,
        ]
        return .choice(
            blocks.filter { $0.overlaps(range) }.map { block in
                let part = range.clamped(to: block)
                return bytes(from: utf8(part.lowerBound)[...], to: utf8(part.upperBound)[...])
            })
    }

    /// The texts of UTF-8 bytes between two texts of the same length.
    private static func bytes(from low: ArraySlice<UInt8>, to high: ArraySlice<UInt8>) -> Self {
        guard let first = low.first, let last = high.first else { return .sequence([]) }
        let (lowRest, highRest) = (low.dropFirst(), high.dropFirst())
        if lowRest.isEmpty { return .byte(ByteSet(first...last)) }
        let least = [UInt8](repeating: 0x80, count: lowRest.count)[...]
        let most = [UInt8](repeating: 0xBF, count: lowRest.count)[...]
        if first == last { return .sequence([.byte(ByteSet(first...first)), bytes(from: lowRest, to: highRest)]) }
        var parts: [Self] = [.sequence([.byte(ByteSet(first...first)), bytes(from: lowRest, to: most)])]
        if first + 1 < last {
            parts.append(.sequence([.byte(ByteSet(first + 1...last - 1)), bytes(from: least, to: most)]))
        }
        parts.append(.sequence([.byte(ByteSet(last...last)), bytes(from: least, to: highRest)]))
        return .choice(parts)
    }

    private static func utf8(_ value: UInt32) -> [UInt8] {
        Unicode.Scalar(value).map { Array(String($0).utf8) } ?? []
    }
}
