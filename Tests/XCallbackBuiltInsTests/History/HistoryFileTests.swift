import Dispatch
import Glibc
import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackTesting

/// The files of the history on a disk.
@Suite(.timeLimit(.minutes(5)))
struct HistoryFileTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path(of: "state/xcallbackd") }

    init() throws { directory = try TemporaryDirectory() }

    private func line(_ writer: Int, _ number: Int, padding: Int = 0) -> [UInt8] {
        Array("{\"time\":\(number).0,\"id\":\"\(writer)-\(number)\"\(String(repeating: " ", count: padding))}\n".utf8)
    }

    private func text(_ file: HistoryFile) throws -> (old: String, current: String) {
        let paths = file.paths(in: "state/xcallbackd")
        return (
            directory.contains(paths.old) ? try directory.text(of: paths.old) : "",
            try directory.text(of: paths.current)
        )
    }

    /// As two daemons of one user do.
    @Test func writersAppendWholeLinesInTheirOrder() async throws {
        let (writers, count) = (4, 1_500)
        // Several files are filled.
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask { @concurrent in
                    for number in 0..<count {
                        _ = try? HistoryFile.own.append(line(writer, number, padding: 1_000), in: folder)
                    }
                }
            }
        }
        let (old, current) = try text(.own)
        #expect(old.utf8.count <= HistoryFile.limit && current.utf8.count <= HistoryFile.limit)
        #expect(old.utf8.count > HistoryFile.limit - 2_000)
        var last = [Int](repeating: -1, count: writers)
        for line in (old + current).split(separator: "\n") {
            let numbers = line.split(separator: "\"")[5].split(separator: "-").compactMap { Int($0) }
            try #require(line.hasPrefix("{\"time\":") && line.hasSuffix("}") && numbers.count == 2, "\(line)")
            #expect(last[numbers[0]] < 0 || numbers[1] == last[numbers[0]] + 1)
            last[numbers[0]] = numbers[1]
        }
        expect(last, equals: [Int](repeating: count - 1, count: writers))
        var status = stat()
        stat(HistoryFile.own.paths(in: folder).current, &status)
        expect(status.st_mode & 0o777, equals: 0o600)
    }

    /// What a process that was killed has left of its last line.
    @Test func aTornLineIsRemoved() throws {
        try HistoryFile.own.append(line(1, 1), in: folder)
        let file = try #require(fopen(HistoryFile.own.paths(in: folder).current, "a"))
        fputs("{\"time\":2.0,\"id", file)
        fclose(file)
        try HistoryFile.own.append(line(1, 3), in: folder)
        expect(try text(.own).current, equals: String(decoding: line(1, 1) + line(1, 3), as: UTF8.self))
    }

    @Test func oldEntriesGo() throws {
        let now = Duration.seconds(Glibc.time(nil))
        try HistoryFile.own.append(line(1, 1), in: folder)
        try HistoryFile.agents.append(line(2, Int(now.components.seconds) - 10), in: folder)
        for file in HistoryFile.allCases { try file.prune(in: folder, keeping: .seconds(3600), at: now) }
        #expect(!directory.contains(HistoryFile.own.paths(in: "state/xcallbackd").current))
        #expect(try !text(.agents).current.isEmpty)
        // The old file goes after the other half of the time.
        let old = HistoryFile.own.paths(in: "state/xcallbackd").old
        try HistoryFile.own.prune(in: folder, keeping: .seconds(3600), at: now + .seconds(1700))
        #expect(directory.contains(old))
        try HistoryFile.own.prune(in: folder, keeping: .seconds(3600), at: now + .seconds(1900))
        #expect(!directory.contains(old))
    }

    @Test func clearingRemovesAll() throws {
        try HistoryFile.own.append(line(1, 1), in: folder)
        for file in HistoryFile.allCases { try file.clear(in: folder) }
        #expect(!directory.contains(HistoryFile.own.paths(in: "state/xcallbackd").current))
    }

    /// A folder that cannot be made, and a file that is a link.
    @Test func aFileThatCannotBeWrittenIsAnError() throws {
        try directory.write("", to: "file")
        #expect(throws: (any Error).self) {
            try HistoryFile.own.append(line(1, 1), in: directory.path(of: "file/below"))
        }
        makeFolders(folder)
        symlink("/etc/passwd", HistoryFile.own.paths(in: folder).current)
        #expect(throws: (any Error).self) { try HistoryFile.own.append(line(1, 1), in: folder) }
    }
}
