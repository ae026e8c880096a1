import FoundationEssentials
import Testing
import XCallback

/// Where the answers of a router may lead.
struct RouterCallbackTests {
    private func router(_ callbacks: [String]?) throws -> Router {
        try Router(scheme: "notes", callbacks: callbacks) { router in
            router.route("/id", isPublic: true) { 7 }
            router.route("/out", isPublic: true) { (request: Request) in .redirect(try Callback("bear:/open")) }
        }
    }

    /// Whether the router refuses a callback.
    private func refuses(_ callback: String, from origin: Origin, _ router: Router) async -> Bool {
        let response = await router.handle("notes:/id?x-success=\(callback)", from: origin).response
        guard case .error(let error) = response else { return false }
        return error.code == .malformed && error.message.hasPrefix("The callback in 'x-success' has a scheme ")
    }

    @Test func theDesktopMayNameWhatIsListed() async throws {
        let router = try router(["bear", "https://example.org"])
        for callback in ["bear://done", "BEAR:/done", "https://example.org/a?b=c", "notes:/id"] {
            let answer = await router.handle("notes:/id?x-success=\(callback)", from: .desktop)
            #expect(answer.response == .success(["result": "7"]), "\(callback)")
        }
        for callback in ["things:/done", "http://example.org", "https://example.org.evil", "javascript:alert(1)"] {
            #expect(await refuses(callback, from: .socket, router), "\(callback)")
        }
        #expect(await router.handle("notes:/out", from: .desktop).url == "bear:/open")
    }

    @Test func withoutAListTheDesktopMayNameNothing() async throws {
        let router = try router(nil)
        #expect(await refuses("bear:/done", from: .desktop, router))
        #expect(await router.handle("notes:/id?x-success=bear:/done").url == "bear:/done?result=7")
        #expect(await refuses("https://example.org", from: .socket, router))
    }

    @Test func whatCanNeverTakeAnAnswerCannotBeListed() throws {
        let error = #expect(throws: RouterError.self) {
            try self.router(["javascript", "https://example.org/page", "b r"])
        }
        #expect(
            error?.faults == [
                "callbacks: 'javascript' cannot be allowed: opening its URLs can run code",
                "callbacks: 'https://example.org/page' cannot be allowed: expected a scheme such as app, or a site such as "
                    + "https://example.org; did you mean 'https://example.org'?",
                "callbacks: 'b r' cannot be allowed: "
                    + "expected a scheme such as app, or a site such as https://example.org",
            ])
    }

    @Test func aURLOfFoundationIsAnswered() async throws {
        let url = try #require(URL(string: "notes:/id?x-success=app:/done"))
        #expect(try await router(nil).handle(url).url == "app:/done?result=7")
    }
}
