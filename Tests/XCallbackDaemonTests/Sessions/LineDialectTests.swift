import Testing
import XCallbackDaemon

/// What a dialect makes of a whole input: its lines, then why it stopped.
private struct Lines: Equatable {
    var lines: [String] = []
    var isTooLong = false
    /// What was left for later.
    var rest = ""

    /// Feeds the input in pieces; what is not consumed comes again with the next piece.
    init(_ pieces: [String], limit: Int = 10, isAtEnd: Bool = true) {
        var dialect = LineDialect(limit: limit)
        var buffer: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            buffer += Array(piece.utf8)
            var position = 0
            reading: while true {
                let isLast = isAtEnd && index == pieces.count - 1
                switch dialect.next(in: buffer.span, from: position, isAtEnd: isLast) {
                case .line(let range, let next):
                    lines.append(String(decoding: buffer[range], as: UTF8.self))
                    position = next
                case .incomplete(let start):
                    position = start
                    break reading
                case .tooLong:
                    isTooLong = true
                    return
                }
            }
            buffer.removeFirst(position)
        }
        rest = String(decoding: buffer, as: UTF8.self)
    }
}

struct LineDialectTests {
    static let inputs: [(String, [String])] = [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb\n", ["a", "b"]), ("a\r\nb", ["a", "b"]),
        ("\n\n\r\na\n\n", ["a"]),
        ("\n", []), ("\r\n", []), ("\r", []), ("a\r", ["a"]), ("a\rb\n", ["a\rb"]), ("a\r\r\n", ["a\r"]),
        ("0123456789\n", ["0123456789"]), ("0123456789\r\n", ["0123456789"]), ("0123456789", ["0123456789"]),
        (" a \n", [" a "]), ("é\n", ["é"]),
    ]

    @Test(arguments: inputs)
    func linesEndWithLFOrCRLFOrTheInputHoweverItIsCut(input: String, lines: [String]) {
        #expect(!Lines([input]).isTooLong)
        #expect(Lines(input.unicodeScalars.map { String($0) } + [""]).lines == lines)
        for cut in input.unicodeScalars.indices {
            let pieces = [String(input.unicodeScalars[..<cut]), String(input.unicodeScalars[cut...])]
            #expect(Lines(pieces).lines == lines)
        }
    }

    static let unfinished: [(input: String, lines: [String], rest: String)] = [
        ("a", [], "a"), ("a\nb", ["a"], "b"), ("a\r", [], "a\r"), ("a\n\n", ["a"], ""), ("\r", [], "\r"),
        ("0123456789\r", [], "0123456789\r"), ("0123456789x", [], "0123456789x"),
    ]

    @Test(arguments: unfinished)
    func aLineWithoutItsEndWaits(input: String, lines: [String], rest: String) {
        let result = Lines([input], isAtEnd: false)
        #expect(result.lines == lines)
        #expect(result.rest == rest)
        #expect(!result.isTooLong)
    }

    static let long: [(String, [String])] = [
        ("0123456789a\n", []), ("0123456789a", []), ("0123456789a\r\n", []), ("0123456789\r\r\n", []),
        ("a\n0123456789a\nb\n", ["a"]), ("0123456789ab", []),
    ]

    @Test(arguments: long)
    func aLineOverTheLimitIsTooLong(input: String, lines: [String]) {
        let whole = Lines([input])
        #expect(whole.lines == lines)
        #expect(whole.isTooLong)
        #expect(Lines(["0123456789ab"], isAtEnd: false).isTooLong)
        #expect(Lines(input.unicodeScalars.map { String($0) } + [""]) == whole)
    }
}
