import Foundation
import Testing
import XCallback

/// What the library's errors say, and who failed.
struct ErrorTests {
    struct Notes: App {
        struct Count: Action { typealias Output = Int }
        var opener: any Opener
    }

    private func response(_ body: @escaping @Sendable (ActionURL) async throws -> Response) async -> ActionResponse<Int>
    {
        await ActionResponse { try await Notes(opener: OpenerFunction(body)).run(Notes.Count()) }
    }

    @Test func eachErrorDescribesItself() throws {
        let errors: [(any Error, String)] = [
            (CallbackError(.forbidden, "Not today."), "Not today."),
            (ActionCancelled(), "The action was cancelled."),
            (
                try #require(throws: RouterError.self) { try Router(scheme: "file") { _ in } },
                "'file' cannot be the scheme of an application"
            ),
            (
                try #require(throws: ActionURLError.self) { try ActionURL("none") },
                "The URL has no scheme: expected a letter, then letters, digits, '+', '-' or '.', then a colon."
            ),
        ]
        for (error, text) in errors { #expect(error.localizedDescription == text) }
    }

    @Test func anErrorSaysWhoFailed() async {
        let application = await response { _ in .error(CallbackError(.notFound, "No such note.")) }
        #expect(application.author == .application)
        #expect((await response { _ in .success(["result": "many"]) }).author == .application)
        let connection = await ActionResponse {
            try await Notes(opener: Client(socket: "/nonexistent/socket")).run(Notes.Count())
        }
        #expect(connection.author == .connection)
        let endless = OpenerFunction { _ in
            try await Task.sleep(for: .seconds(600))
            return .cancel
        }
        let late = await ActionResponse {
            try await Notes(opener: endless).run(Notes.Count(), timeout: .milliseconds(5))
        }
        #expect(late.author == .connection)
        #expect((await response { _ in throw CancellationError() }).author == .cancelled)
    }

    @Test func aWrongOutputIsNamed() async {
        guard case .error(let error) = await response({ _ in .success(["result": "many"]) }) else {
            Issue.record("the output was read")
            return
        }
        #expect(error.code == .unreadableAnswer)
        #expect(error.message.hasPrefix("The answer cannot be read: it must be a whole number"))
    }
}

extension ActionResponse {
    fileprivate var author: CallbackError.Author? {
        if case .error(let error) = self { error.author } else { nil }
    }
}
