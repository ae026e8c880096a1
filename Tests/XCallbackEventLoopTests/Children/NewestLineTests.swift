import Testing
import XCallbackEventLoop

struct NewestLineTests {
    static let texts: [(pieces: [String], lines: [String?])] = [
        (["one\n"], ["one"]), (["one\ntwo\nthr"], ["two"]), (["o", "ne", "\n"], [nil, nil, "one"]),
        (["10%\r20%\r", "30%", "\r\n"], ["20%", nil, "30%"]), (["\n", "\r\n", ""], [nil, nil, nil]),
        (["a", "\n\nb\n"], [nil, "b"]), (["a\n\n", "b"], ["a", nil]), (["  a \n", "   \n"], ["a ", nil]),
        (["{\"code\": 75}\n", "b\n"], [nil, "b"]),
        ([String(repeating: "x", count: 700), "y\n"], [nil, String(repeating: "x", count: NewestLine.limit)]),
        (["a\n" + String(repeating: "x", count: 700) + "\n"], [String(repeating: "x", count: NewestLine.limit)]),
    ]

    @Test(arguments: texts)
    func theNewestCompleteLineCounts(pieces: [String], lines: [String?]) {
        var newest = NewestLine()
        let found = pieces.map { newest.take(Array($0.utf8)[...]).map { String(decoding: $0, as: UTF8.self) } }
        #expect(found == lines)
    }
}
