import Glibc
import Testing
import XCallbackTesting

@testable import XCallbackCommands

/// The lines of an input that comes in pieces of 64 KiB.
struct LineReaderTests {
    @Test(arguments: ["\n", ""])
    func aLineOverTheLimitIsSkippedWhole(ending: String) throws {
        let limit = 70_000
        let lengths = [5, limit, limit + 1, 0, 200_000, 3, limit + 200_000]
        let directory = try TemporaryDirectory()
        let text = lengths.map { String(repeating: "a", count: $0) }.joined(separator: "\n") + ending
        let descriptor = open(try directory.write(text, to: "lines"), O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var reader = LineReader(descriptor: descriptor, limit: limit)
        var found: [Int?] = []
        while found.count < 10 {
            switch try reader.next() {
            case .whole(let line): found.append(line.count)
            case .tooLong: found.append(nil)
            case .end: return #expect(found == [5, limit, nil, 0, nil, 3, nil])
            }
        }
        Issue.record("no end: \(found)")
    }
}
