import Testing
import XCallback
import XCallbackTesting

/// Which routes a web page or an assistant reaches by way of redirects, with the running daemon.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct RedirectOriginTests {
    private let directory: TemporaryDirectory
    private let daemon: RunningDaemon

    init() throws {
        directory = try TemporaryDirectory()
        daemon = try RunningDaemon(
            """
            schemes: [old, n]
            routes:
              - { route: "old:/*p", public: true, agent: old, redirect: "n:/{p}" }
              - { route: "n:/at/:id", public: true, agent: at, input: { id: int }, redirect: "n:/private/{id}" }
              - { route: n:/say, public: true, agent: say, redirect: "n:/private/7?text={text}" }
              - { route: n:/open, public: true, agent: open, respond: { origin: "{@origin}" } }
              - { route: n:/hop, public: true, redirect: "n:/private/8" }
              - { route: "n:/private/:id", exec: [touch, "\(directory.path)/{id}"] }
            """)
    }

    private func code(of url: String, from origin: Origin) async throws -> Int {
        let answer = try await Client(socket: daemon.socket).open(url, from: origin, following: true)
        if case .error(let error) = answer.response { return error.code.rawValue }
        return 0
    }

    @Test(
        arguments: [
            "old:/private/1", "old:///private/1", "OLD://x-callback-url/private/1", "old:/%70rivate/1/",
            "n:/open?x-success=old:/private/1", "old:/open?x-success=old:/private/1",
        ], [Origin.desktop, .agent])
    func freeTextLeadsToNoPrivateRoute(url: String, origin: Origin) async throws {
        #expect(try await code(of: url, from: origin) == 403)
        #expect(!directory.contains("1"))
        #expect(try await code(of: url, from: .socket) == 0)
        #expect(directory.contains("1"))
    }

    @Test(arguments: [Origin.desktop, .agent])
    func theConfigurationLeadsAnywhere(origin: Origin) async throws {
        for (url, name) in [("n:/at/42", "42"), ("n:/say?text=../../n", "7")] {
            #expect(try await code(of: url, from: origin) == 0, "\(url)")
            #expect(directory.contains(name), "\(url)")
        }
        #expect(try await code(of: "n:/at/x", from: origin) == 404)
        // The second redirect is fixed; it is offered to the desktop only.
        #expect(try await code(of: "old:/hop", from: origin) == (origin == .desktop ? 0 : 403))
        #expect(directory.contains("8") == (origin == .desktop))
        let answer = try await Client(socket: daemon.socket).open("old:/open", from: origin)
        #expect(answer.response == .success(["origin": origin.rawValue]))
    }
}
