import Testing
import XCallbackWire

struct PlainTextTests {
    /// Those on the borders of what stands for itself, and others.
    static let bytes: [UInt8] = [0, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xA2, 0xDC, 0xFF]

    /// Whether a text is plain, as told one byte at a time.
    private static func isPlainInSteps(_ text: [UInt8]) -> Bool {
        !text.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }
    }

    @Test(arguments: bytes)
    func aByteIsFoundWhereverItStands(byte: UInt8) {
        for length in 1...50 {
            for position in 0..<length {
                var text = Array(repeating: UInt8(ascii: "a"), count: length)
                text[position] = byte
                guard needsNoEscape(text.span) != Self.isPlainInSteps(text) else { continue }
                Issue.record("at \(position) of \(length)")
            }
        }
    }

    @Test(arguments: bytes.filter { $0 < 0x80 })
    func aByteIsEscapedInItsPlaceOrNotAtAll(byte: UInt8) {
        for length in 0...50 {
            for position in 0..<max(length, 1) {
                var text = Array(repeating: UInt8(ascii: "a"), count: length)
                if length > 0 { text[position] = byte }
                let written = Array<UInt8>(capacity: OutputSpan.room(forJSON: text.span)) { $0.append(json: text.span) }
                let read = try? JSONValue(parsing: written.span, maximumSize: written.count)
                guard read != .string(String(decoding: text, as: UTF8.self)) else { continue }
                Issue.record("at \(position) of \(length)")
            }
        }
    }
}
