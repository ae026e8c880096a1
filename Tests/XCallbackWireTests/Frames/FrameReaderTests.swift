import Testing
import XCallbackWire

struct FrameReaderTests {
    /// What a reader with a limit of four bytes finds, one after the other, in inputs and from places on.
    private static func items(_ steps: [(input: String, start: Int)]) -> [FrameReader.Item] {
        var reader = FrameReader(limit: 4)
        return steps.map { step in
            let input = Array(step.input.utf8)
            return reader.next(in: input.span, from: step.start)
        }
    }

    @Test func messagesEndWithAZeroByte() {
        let input = "ab\0\0cdef\0gh"
        #expect(
            Self.items([0, 3, 4, 9].map { (input, $0) }) == [
                .frame(0..<2, next: 3), .frame(3..<3, next: 4), .frame(4..<8, next: 9), .incomplete(from: 9),
            ])
    }

    @Test func aMessageMayComeByteByByte() {
        let input = "abcd\0"
        #expect(
            Self.items((0...5).map { (String(input.prefix($0)), 0) })
                == Array(repeating: .incomplete(from: 0), count: 5) + [.frame(0..<4, next: 5)])
    }

    @Test func theInputMayBeConsumedWhileAMessageIsNotWhole() {
        #expect(Self.items([("a\0bc", 2), ("bcd\0", 0)]) == [.incomplete(from: 2), .frame(0..<3, next: 4)])
    }

    @Test(arguments: ["abcde", "abcde\0"])
    func aMessageOverTheLimitIsRefusedAtOnce(input: String) {
        #expect(Self.items([(input, 0)]) == [.tooLong])
    }
}
