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
        var timeout = Duration.seconds(3_600)
    }

    @Test func aFinishedCallKeepsNothingUntilItsTimeout() async throws {
        let notes = Notes(opener: OpenerFunction { _ in .success(["result": "pong"]) })
        for _ in 0..<1_000 { _ = try await notes.run(Notes.Ping()) }
        let before = try residentPages()
        for _ in 0..<200_000 { _ = try await notes.run(Notes.Ping()) }
        let growth = (try residentPages() - before) * Int(getpagesize())
        #expect(growth < 32 << 20, "\(growth >> 20) MiB")
    }

    @Test func aCallHasTheTimeoutOfItsApplicationOrItsOwn() async throws {
        let silent = OpenerFunction { _ in
            try await Task.sleep(for: .seconds(600))
            return .cancel
        }
        let notes = Notes(opener: silent, timeout: .milliseconds(20))
        for (timeout, text) in [(nil, "0.02"), (.milliseconds(10), "0.01")] as [(Duration?, String)] {
            let error = await #expect(throws: CallbackError.self) {
                try await notes.run(Notes.Ping(), timeout: timeout)
            }
            #expect(error?.code == .timedOut)
            #expect(error?.message == "No answer came within \(text) seconds.")
        }
    }

    private func residentPages() throws -> Int {
        let words = try textOfFile("/proc/self/statm").split(separator: " ")
        return try #require(Int(words[1]))
    }
}
