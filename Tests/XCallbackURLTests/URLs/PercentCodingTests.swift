import Testing
import XCallbackTesting
import XCallbackURL
import XCallbackWire

struct PercentCodingTests {
    @Test func onlyUnreservedBytesAreWrittenAsTheyAre() {
        let unreserved = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
        for byte in UInt8.min...UInt8.max {
            var written = ByteBuffer()
            written.append(percentEncoding: [byte].span)
            #expect((written.contents == [byte]) == unreserved.contains(byte))
            #expect(written.count == (unreserved.contains(byte) ? 1 : 3))
        }
    }

    @Test func escapesAreWrittenInUpperCase() {
        #expect(encoded("é/\u{7F}") == "%C3%A9%2F%7F")
    }

    static let decoded: [(String, String?)] = [
        ("", ""), ("a", "a"), ("%41%62", "Ab"), ("%c3%A9", "é"), ("a+b", "a+b"), ("%2541", "%41"), ("%", nil),
        ("%4", nil), ("%4g", nil), ("%00", nil), ("a\0", nil), ("%FF", nil), ("%C3", nil), ("é", "é"), ("%25", "%"),
    ]

    @Test(arguments: decoded)
    func textIsDecodedOnceOrNotAtAll(text: String, result: String?) {
        let bytes = percentDecoded(Array(text.utf8).span)
        #expect(bytes.map { String(decoding: $0, as: UTF8.self) } == result)
    }

    @Test func whatIsEncodedIsDecodedToTheSame() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<2000 {
            let text = generator.text(0...20)
            let bytes = percentDecoded(Array(encoded(text).utf8).span, plusIsSpace: true)
            #expect(bytes == Array(text.utf8))
        }
    }

    private func encoded(_ text: String) -> String {
        var output = ByteBuffer()
        output.append(percentEncoding: Array(text.utf8).span)
        return String(decoding: output.contents, as: UTF8.self)
    }
}
