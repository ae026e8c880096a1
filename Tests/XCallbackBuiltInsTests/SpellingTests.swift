import Testing
import XCallbackBuiltIns
import XCallbackPipeline
import XCallbackTesting

/// However an action is spelt, its request meets the policies of its route.
@Suite(.timeLimit(.minutes(10)))
struct SpellingTests {
    /// Its handlers tell that they were reached; the other routes are what a spelling could be mistaken for.
    private static let configuration = """
        schemes: { notes: { }, bare: { hosts: ignore } }
        define:
          policies: { guarded: { user: 1 } }
        routes:
          - { route: notes:/secret/data, public: true, policies: [guarded], respond: { reached: 1 } }
          - { route: bare:/secret/data, public: true, policies: [guarded], respond: { reached: 1 } }
          - { route: notes:/private/data, respond: { reached: 1 } }
          - { route: bare:/private/data, respond: { reached: 1 } }
          - { route: notes:/held/data, public: true, policies: [{ require: { mode: read } }], respond: { reached: 1 } }
          - group:
              prefix: /group
              policies: [guarded]
              routes: [{ route: "notes:/:name{/:rest}", public: true, respond: { reached: 1 } }]
          - route: notes:/go/:where
            public: true
            input: { where: { type: enum, values: [secret, held] } }
            redirect: "notes:/{where}/data"
          - { route: "notes:/far/:where", public: true, redirect: "notes:/go/{where}" }
          - { route: "notes:/:any", public: true, respond: { other: 1 } }
          - { route: "notes:/open/*path", public: true, respond: { other: 1 } }
        """

    private static let starts = [
        "notes:/", "notes:", "notes:///", "notes://x-callback-url/", "notes:/x-callback-url/", "notes://", "NOTES:/",
        "nOtEs://X-Callback-URL/", "bare:/", "bare://anything/", "bare://secret/", "notes://x-callback-url//",
        "notes:/go/", "notes:/far/", "notes:/open/", "notes:/open/../", "notes:/open/%2e%2e/", "notes:/./",
        "notes:////",
        "notes://x-callback-url/go/", "notes:/%2e/", "notes:/open/..%2f",
    ]
    private static let ends = [
        "", "/", "//", "/.", "/..", "?", "?mode=read&mode=write", "?mode=write&mode=read", "?mode=write",
        "?mod%65=write",
        "?mode", "?Mode=read", "#mode=read", "?x-success=notes:/secret/data", "?x-success=notes:/private/data",
        "?x-source=root&uid=1&user=1", "?x-error=notes:/secret/data", "#", "%00", "%2F", "?where=secret", ";a=1", ".",
        "?x-success=notes%3A%2Fsecret%2Fdata%3Fx-success%3Dnotes%3A%2Fsecret%2Fdata", "?origin=internal", "%20",
    ]

    /// What desktops make of a URL that is typed, or stands in a page, as `notes://x-callback-url/say/hello?text=…`.
    static let desktops: [(desktop: String, url: String)] = [
        ("xdg-open", "notes://x-callback-url/say/hello?text=it's%20\"é\"&x-success=bare:/done"),
        ("GNOME", "notes://x-callback-url/say/hello?text=it's%20\"é\"&x-success=bare:/done"),
        ("GNOME, as typed", "NOTES://X-Callback-URL/say/hello?text=it's%20\"é\"&x-success=bare:/done"),
        ("KDE", "notes:/x-callback-url/say/hello?text=it's%20%22%C3%A9%22&x-success=bare:/done"),
        ("Chromium", "notes://x-callback-url/say/hello?text=it%27s%20%22%C3%A9%22&x-success=bare:/done"),
    ]

    /// A spelling of an action, or of something near it.
    private static func spelling(_ random: inout SeededGenerator) -> String {
        let actions = ["secret/data", "private/data", "held/data", "group/a/b", "group/a", "secret", "private"]
        var text = ""
        for byte in actions[random.below(actions.count)].utf8 {
            let character = String(UnicodeScalar(byte))
            switch random.below(12) {
            case 0: text += "%" + String(byte, radix: 16)
            case 1: text += "%" + String(byte, radix: 16, uppercase: true)
            case 2 where random.below(4) == 0: text += character.uppercased()
            case 3 where random.below(4) == 0: text += character + character
            case 4 where random.below(8) == 0: text += "%25" + String(byte, radix: 16)
            case 5 where byte == UInt8(ascii: "/"): text += "%2F"
            case 6 where byte == UInt8(ascii: "/"): text += "/./"
            default: text += character
            }
        }
        return starts[random.below(starts.count)] + text + ends[random.below(ends.count)]
    }

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
        var router = try Configured(Self.configuration)
        var random = SeededGenerator(seed: 5)
        let guardian = Peer(userID: 1, groupID: 1, processID: 1)
        var count = 0
        for _ in 0..<8_000 {
            let url = Self.spelling(&random)
            #expect(!router.answer(to: url, origin: .desktop).contains("reached"), "\(url)")
            if router.answer(to: url, from: guardian, origin: .desktop).contains("reached") { count += 1 }
        }
        // The spellings do lead to guarded handlers, for those who may.
        #expect(count > 500)
    }

    @Test func aHandlerIsReachedByThoseWhoMay() throws {
        var router = try Configured(Self.configuration)
        let guardian = Peer(userID: 1, groupID: 1, processID: 1)
        for action in ["secret/data", "s%65cret/d%61ta/", "go/secret", "far/secret", "group/a"] {
            #expect(
                try router.result(of: "notes:/\(action)", from: guardian, origin: .desktop) == "reached=1", "\(action)")
            #expect(try router.result(of: "notes:/\(action)").hasPrefix("403 Policy 'user'"), "\(action)")
        }
        #expect(try router.result(of: "notes:/private/data") == "reached=1")
        #expect(try router.result(of: "notes:/private/data", origin: .desktop).hasPrefix("403 This action is private"))
        #expect(try router.result(of: "notes:/held/data?mode=read", origin: .desktop) == "reached=1")
    }
}
