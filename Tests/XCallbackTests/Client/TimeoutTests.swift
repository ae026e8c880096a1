import Glibc
import Testing
import XCallback
import XCallbackTesting

/// The time limits of calls.
@Suite(.timeLimit(.minutes(10)))
struct TimeoutTests {
    private struct Notes: App {
        struct Ping: Action { typealias Output = String }

        var opener: any Opener
        var timeout: Duration { .seconds(3_600) }
    }

    @Test func aFinishedCallKeepsNothingUntilItsTimeout() async throws {
        let notes = Notes(opener: OpenerFunction { _ in .success(["result": "pong"]) })
        for _ in 0..<1_000 { _ = try await notes.run(Notes.Ping()) }
        let before = try residentPages()
        for _ in 0..<200_000 { _ = try await notes.run(Notes.Ping()) }
        let growth = (try residentPages() - before) * Int(getpagesize())
        #expect(growth < 32 << 20, "\(growth >> 20) MiB")
    }

    private func residentPages() throws -> Int {
        let words = try textOfFile("/proc/self/statm").split(separator: " ")
        return try #require(Int(words[1]))
    }
}
