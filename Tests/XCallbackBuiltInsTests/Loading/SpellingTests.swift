import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackRouter
import XCallbackTesting

/// However an action is spelt, its request meets the policies of its route.
@Suite(.timeLimit(.minutes(10)))
struct SpellingTests {
    /// What desktops make of a URL that is typed, or stands in a page, as `notes://x-callback-url/say/hello?text=…`.
    static let desktops: [(desktop: String, url: String)] = [
        ("xdg-open", "notes://x-callback-url/say/hello?text=it's%20\"é\"&x-success=bare:/done"),
        ("GNOME", "notes://x-callback-url/say/hello?text=it's%20\"é\"&x-success=bare:/done"),
        ("GNOME, as typed", "NOTES://X-Callback-URL/say/hello?text=it's%20\"é\"&x-success=bare:/done"),
        ("KDE", "notes:/x-callback-url/say/hello?text=it's%20%22%C3%A9%22&x-success=bare:/done"),
        ("Chromium", "notes://x-callback-url/say/hello?text=it%27s%20%22%C3%A9%22&x-success=bare:/done"),
    ]

    @Test(arguments: desktops)
    func theSpellingOfADesktopIsTheSameRequest(desktop: String, url: String) throws {
        var router = try Configured(
            """
            schemes: [notes, bare]
            routes:
              - { route: notes:/say/:word, public: true, respond: { text: "{text}" } }
              - { route: bare:/done, public: true, respond: }
            """)
        #expect(
            router.answer(to: url, origin: .desktop) == "bare:/done?text=it%27s%20%22%C3%A9%22", "\(desktop)")
    }

    @Test func noSpellingReachesAGuardedHandler() throws {
        var router = try Configured(GuardedRoutes.configuration(for: "1"))
        var random = SeededGenerator(seed: 5)
        let guardian = Peer(userID: 1, groupID: 1, processID: 1)
        var count = 0
        for _ in 0..<8_000 {
            let url = GuardedRoutes.spelling(&random)
            #expect(!router.answer(to: url, origin: .desktop).contains("reached"), "\(url)")
            if router.answer(to: url, from: guardian, origin: .desktop).contains("reached") { count += 1 }
        }
        // The spellings do lead to guarded handlers, for those who may.
        #expect(count > 500)
    }

    @Test func aHandlerIsReachedByThoseWhoMay() throws {
        var router = try Configured(GuardedRoutes.configuration(for: "1"))
        let guardian = Peer(userID: 1, groupID: 1, processID: 1)
        for action in ["secret/data", "s%65cret/d%61ta/", "go/secret", "far/secret", "free/secret/data", "group/a"] {
            expect(
                try router.result(of: "notes:/\(action)", from: guardian, origin: .desktop), equals: "reached=1",
                "\(action)")
            expect(try router.result(of: "notes:/\(action)"), "\(action)") { $0.hasPrefix("403 Policy 'user'") }
        }
        for action in ["private/data", "free/private/data", "free/free/private/data", "free-bare/private"] {
            let url = "notes:/\(action)"
            expect(try router.result(of: url), equals: "reached=private", "\(action)")
            expect(try router.result(of: url, origin: .desktop), "\(action)") {
                $0.hasPrefix("403 This action is private")
            }
        }
        expect(try router.result(of: "notes:/held/data?mode=read", origin: .desktop), equals: "reached=1")
    }
}
