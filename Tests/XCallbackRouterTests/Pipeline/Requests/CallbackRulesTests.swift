import TestSupport
import Testing
import XCallbackRouter
import XCallbackURL

extension CallbackRules {
    /// Whether a URL may take the answer to a request.
    fileprivate func allow(_ text: String, for origin: Origin) throws -> Bool {
        let callback = try Callback(text)
        return allow(callback.bytes.span, callback.layout, for: origin)
    }
}

struct CallbackRulesTests {
    private let free = CallbackRules([SchemeSettings("notes")])
    private let listed = CallbackRules(
        [SchemeSettings("notes")],
        allowed: [
            .scheme("app"), .site(scheme: "https", authority: "example.org"),
            .site(scheme: "http", authority: "localhost:8080"),
        ])

    static let never = [
        "javascript:alert(1)", "JavaScript:a", "data:text/html,a", "file:///etc/passwd", "FILE:/a", "vbscript:a",
        "shell:a", "blob:a", "about:blank", "ms-word:a", "MS-settings:a", "ms-:a",
    ]

    @Test(arguments: never)
    func someSchemesNeverTakeAnAnswer(text: String) throws {
        let tricked = CallbackRules(
            [SchemeSettings("notes")],
            allowed: CallbackRules.refusedSchemes.map { .scheme($0) } + [.scheme("ms-word"), .scheme("ms-settings")])
        for origin in Origin.allCases {
            #expect(try !free.allow(text, for: origin))
            #expect(try !listed.allow(text, for: origin))
            #expect(try !tricked.allow(text, for: origin))
        }
        #expect(CallbackRules.isRefused(scheme: String(text.prefix { $0 != ":" })))
    }

    /// Their beginnings and ends are the same.
    @Test(arguments: [
        ("abcdefghijklmnop", "abcdefgHijklmnoq"), ("abcdefgh-ijklmnop", "abcdefgh+ijklmnop"),
        (String(repeating: "a", count: 64), String(repeating: "a", count: 65)),
    ])
    func aLongSchemeIsComparedAsAWhole(own: String, other: String) throws {
        let rules = CallbackRules([SchemeSettings(own)], allowed: [])
        #expect(try rules.allow("\(own):/a", for: .desktop))
        #expect(try rules.allow("\(own.uppercased()):/a", for: .desktop))
        #expect(try !rules.allow("\(other):/a", for: .desktop))
    }

    static let own = ["notes:/a", "NOTES:", "notes://host/a", "xcallback://x-callback-url/success", "XCallback:a"]

    @Test(arguments: own, Origin.allCases)
    func ownSchemesAlwaysDo(text: String, origin: Origin) throws {
        #expect(try free.allow(text, for: origin))
        #expect(try listed.allow(text, for: origin))
    }

    /// A URL, then whether the socket may name it without a list, and whether anybody may with one.
    static let others: [(text: String, isFree: Bool, isListed: Bool)] = [
        ("app:/a", true, true), ("APP:/a", true, true), ("apps:/a", true, false), ("ap:/a", true, false),
        ("other:/a", true, false), ("ms:/a", true, false), ("msx-a:/a", true, false), ("files:/a", true, false),
        ("https://example.org/a", false, true), ("HTTPS://Example.ORG", false, true),
        ("https://example.org?a=1#f", false, true), ("https://example.org:443/", false, false),
        ("https://example.org.evil.com/", false, false), ("https://evil.com/example.org", false, false),
        ("https://example.org@evil.com/", false, false), ("https://a@example.org/", false, false),
        ("https://evilexample.org/", false, false), ("https://example.org\\@evil.com/", false, false),
        ("https:example.org", false, false), ("https:/example.org/", false, false),
        ("https:///example.org", false, false),
        ("http://example.org/", false, false), ("http://localhost:8080/a", false, true),
        ("http://localhost/", false, false), ("https://localhost:8080/", false, false),
    ]

    @Test(arguments: others)
    func otherURLsDoAsTheListSays(text: String, isFree: Bool, isListed: Bool) throws {
        expect(try free.allow(text, for: .socket), equals: isFree)
        expect(try free.allow(text, for: .internal), equals: isFree)
        #expect(try !free.allow(text, for: .desktop))
        for origin in Origin.allCases { expect(try listed.allow(text, for: origin), equals: isListed) }
    }

    @Test func anEmptyListLeavesTheOwnSchemes() throws {
        let empty = CallbackRules([SchemeSettings("notes")], allowed: [])
        #expect(try empty.allow("notes:/a", for: .desktop))
        #expect(try !empty.allow("app:/a", for: .socket))
    }
}
