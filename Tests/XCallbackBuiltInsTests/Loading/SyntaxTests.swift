import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackRouter

/// The setting `syntax` of a scheme.
struct SyntaxTests {
    static let faults: [(String, String)] = [
        (
            "schemes: { a: { syntax: uri } }",
            "1:25: expected callback, url or text, found 'uri'; did you mean 'url'?"
        ),
        (
            "schemes: { http: { syntax: text } }",
            "1:12: the scheme 'http' cannot be a router's own: write 'http: { syntax: url }'"
        ),
        ("schemes: { a: { syntax: url, hosts: ignore } }", "1:37: 'hosts' belongs to syntax 'callback'"),
        (
            "schemes: { a: { syntax: text } }\nroutes: [{ route: 'a:*b', agent: true, respond: }]",
            "2:34: a route of syntax 'text' cannot be offered to assistants"
        ),
        (
            "schemes: { a: { syntax: url } }\nroutes: [{ route: 'a://h:22', respond: }]",
            "2:19: a host has no user or port here, because they take no part in matching: name '@user' or '@port' under "
                + "'require' or 'input', at position 4 of //h:22"
        ),
        (
            "schemes: { a: { syntax: url } }\nroutes: [{ route: 'a://:h', exec: [echo, '{@port}'] }]",
            "2:42: '{@port}' can be absent: expected a capture that every URL has, or a parameter that is declared under "
                + "'input' and is required or has a default"
        ),
        (
            "schemes: { a: { syntax: url } }\nroutes: [{ route: 'a://:h', respond: {} }, { route: 'a://:i', respond: {} }]",
            "2:53: two routes can answer the same URL with equal rank; add text to one of them, or a type to a capture; "
                + "the other is at 2:19"
        ),
    ]

    @Test(arguments: faults)
    func aFaultHasItsPlace(text: String, faults: String) throws {
        #expect(Configured.faults(of: text).joined(separator: "\n") == faults)
    }

    /// A prefix of a group, a scheme that only the file names, parameters in `x-`, secrets and tracking.
    @Test func theKeysOfRoutesApply() throws {
        var router = try Configured(
            """
            schemes: { https: { syntax: url }, view: { syntax: text } }
            routes:
              - group:
                  scheme: https
                  prefix: //Example.org/a
                  routes:
                    - route: /:id
                      input: { id: int, X-Sig: string, "@port": { type: int, default: 443 } }
                      respond: { id: "{id}", sig: "{X-Sig}", port: "{@port}", user: "{@user}", f: "{@fragment}", url: "{@url}", q: "{@query}" }
                      middleware: [strip]
                      policies: { require: { "@host": [example.org] } }
              - route: view:https://*link
                respond: { link: "{link}", f: "{@fragment}", q: "{@query}", a: "{@action}" }
            """)
        expect(
            try router.result(of: "https://ann@EXAMPLE.org/a/7?X-Sig=s&utm_source=u&b#f"),
            equals: "id=7|sig=s|port=443|user=ann|f=f|url=https://ann@EXAMPLE.org/a/7?X-Sig=s&b#f|q=X-Sig=s&b")
        expect(try router.result(of: "https://example.org:8443/a/7?X-Sig=s&@port=1")) { $0.contains("port=8443") }
        expect(try router.result(of: "https://example.org/a/x?X-Sig=s")) { $0.hasPrefix("404") }
        expect(try router.result(of: "https://example.org:x/a/7")) { $0.hasPrefix("400") }
        expect(try router.result(of: "view:https://h/?a#b"), equals: "link=h/?a#b|q=|a=https://h/?a%23b")
    }

    /// The text of a redirect is not encoded.
    @Test func aRedirectFillsText() throws {
        var router = try Configured(
            "schemes: { notes: , mpv: { syntax: text } }\nroutes:\n  - { route: notes:/play, redirect: 'mpv:{link}' }\n"
                + "  - { route: 'mpv:*link', respond: { link: '{link}' } }")
        #expect(router.answer(to: "notes:/play?link=https://h/a%3Fb%23c%2525") == "mpv:https://h/a?b#c%25")
        for link in ["//h/a", "a%20b", "a%0Ab", "%25zz", ""] {
            expect(try router.result(of: "notes:/play?link=\(link)"), "\(link)") { $0.hasPrefix("422") }
        }
    }

    static let warnings: [(String, String?)] = [
        ("[{ route: a:/Open, public: true, respond: }, { route: a:/open, public: true, respond: }]", "in lower case"),
        ("[{ route: 'a:/:n', public: true, input: { n: int }, respond: }]", "0.0.0.42"),
        ("[{ route: 'a:/:n{/b}', public: true, input: { n: bool }, respond: }]", "0.0.0.1"),
        ("[{ route: a:/Open, public: true, respond: }, { route: a:/open/b, respond: }]", nil),
        ("[{ route: 'a:/n/:n', public: true, input: { n: int }, respond: }]", nil),
        ("[{ route: 'a:/:n', input: { n: int }, respond: }]", nil),
    ]

    @Test(arguments: warnings)
    func aRouteThatDesktopsCannotSpellHasAWarning(routes: String, part: String?) throws {
        let router = try Configured("schemes: [a]\nroutes: \(routes)")
        let warnings = router.configuration.warnings.warnings.map(\.message).filter { $0.contains("desktops") }
        #expect(warnings.count == (part == nil ? 0 : 1))
        if let part { #expect(warnings.first?.contains(part) == true) }
    }
}
