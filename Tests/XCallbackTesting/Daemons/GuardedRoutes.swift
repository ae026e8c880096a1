/// Routes with guards, and spellings of their actions that might bypass the guards.
///
/// A client that gets `reached` has reached a private or guarded handler; the other routes are those that a spelling could
/// be mistaken for.
package enum GuardedRoutes {
    /// Returns the configuration; a policy `user` admits the given user to guarded routes.
    package static func configuration(for user: String) -> String {
        """
        schemes: { notes: { }, bare: { hosts: ignore } }
        define:
          policies: { guarded: { user: \(user) } }
        routes:
          - { route: notes:/secret/data, public: true, policies: [guarded], respond: { reached: 1 } }
          - { route: bare:/secret/data, public: true, policies: [guarded], respond: { reached: 1 } }
          - { route: notes:/private/data, respond: { reached: private } }
          - { route: bare:/private/data, respond: { reached: private } }
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
          - { route: "notes:/free/*path", public: true, redirect: "notes:/{path}" }
          - { route: "notes:/free-bare/:where", public: true, redirect: "bare:/{where}/data" }
          - { route: "notes:/:any", public: true, respond: { other: 1 } }
          - { route: "notes:/open/*path", public: true, respond: { other: 1 } }
        """
    }

    private static let starts = [
        "notes:/", "notes:", "notes:///", "notes://x-callback-url/", "notes:/x-callback-url/", "notes://", "NOTES:/",
        "nOtEs://X-Callback-URL/", "bare:/", "bare://anything/", "bare://secret/", "notes://x-callback-url//",
        "notes:/go/", "notes:/far/", "notes:/free/", "notes:/free/free/", "notes:/free-bare/", "notes:/open/",
        "notes:/open/../", "notes:/open/%2e%2e/", "notes:/./",
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

    /// Returns a spelling of an action, or of a similar text.
    package static func spelling(_ random: inout SeededGenerator) -> String {
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
}
