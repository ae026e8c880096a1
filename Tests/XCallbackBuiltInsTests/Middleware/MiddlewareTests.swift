import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackTesting

/// What middleware that does not wait makes of requests.
struct MiddlewareTests {
    private static func router(
        _ middleware: String, input: String = "{}", keys: String = "{ a: '{a}', b: '{b}', id: '{id}' }",
        strict: Bool = false
    ) throws -> Configured {
        try Configured(
            routes: """
                - route: notes:/a{/:id}
                  strict: \(strict)
                  input: \(input)
                  middleware: \(middleware)
                  respond: \(keys)
                """)
    }

    private static func faults(_ middleware: String) -> [String] {
        Configured.faults(of: "schemes: [notes]\nroutes:\n- route: /a\n  respond:\n  middleware: \(middleware)\n")
    }

    // MARK: - Rename

    static let renamings: [(names: String, rest: String, result: String)] = [
        ("{ old: a }", "?old=1", "a=1"), ("{ old: a }", "?o%6Cd=1&b=2", "a=1|b=2"), ("{ old: a }", "?Old=1", ""),
        ("{ old: a, other: b }", "?other=2&old=1", "a=1|b=2"), ("{ a: b, b: a }", "?a=1&b=2", "a=2|b=1"),
        ("{ old: id }", "/7?old=8", "id=7"), ("{ old: id }", "?old=8", "id=8"), ("{ old: a }", "?old.0=1", ""),
        ("{ id: a }", "/7", "id=7"), ("{ old: a }", "?old=x%26b%3D2", "a=x&b=2"),
    ]

    @Test(arguments: renamings)
    func aParameterGetsAnotherName(names: String, rest: String, result: String) throws {
        var router = try Self.router("[{ rename: \(names) }]")
        expect(try router.result(of: "notes:/a\(rest)"), equals: result)
    }

    @Test func anotherNameMakesNoValueFitTheInput() throws {
        var router = try Self.router(
            "[{ rename: { old: a, tags: b } }]", input: "{ a: int, b: { type: list, of: string } }")
        expect(try router.result(of: "notes:/a?old=1&tags.1=y&tags.0=x%2Cz"), equals: "a=1|b=x,z|b=y")
        var other = try Self.router("[{ rename: { old: id } }]", input: "{ id: int }")
        expect(try other.result(of: "notes:/a/7?old=8"), equals: "id=7")
        expect(try router.result(of: "notes:/a?old=x&tags=y"), equals: "422 Parameter 'a' must be a whole number.")
        expect(try router.result(of: "notes:/a?old=1&a=2&tags=y"), equals: "422 Parameter 'a' is given more than once.")
    }

    // MARK: - Strip

    static let strips: [(stage: String, rest: String, result: String)] = [
        ("strip", "?utm_source=x&a=1&fbclid=2&b=3", "a=1|b=3"), ("strip", "?utm=x", "422 Parameter 'utm' is not known"),
        ("{ strip: ref }", "?ref=1&a=2", "a=2"), ("{ strip: [r?f, '*_id'] }", "?ref=1&raf=1&my_id=2&_id=3&a=2", "a=2"),
        ("{ strip: '*' }", "?q=1&a=2&w&e=%26", "a=2"), ("{ strip: 'a*' }", "?a=2&ab=1", "a=2"),
        ("{ strip: '*a*b' }", "?xaxxb=1&ab=1&aabab=2&b=1", "b=1"), ("{ strip: ref }", "?Ref=1", "422"),
        ("{ strip: ref }", "?r%65f=1&a=1", "a=1"), ("{ strip: '*d' }", "/7", "id=7"),
    ]

    @Test(arguments: strips)
    func aParameterThatFitsIsTakenOut(stage: String, rest: String, result: String) throws {
        var router = try Self.router(
            "[\(stage)]", input: "{ a: { type: int, required: false }, b: { type: int, required: false } }",
            strict: true)
        let answer = try router.result(of: "notes:/a\(rest)")
        #expect(result.hasPrefix("422") ? answer.hasPrefix("422") : answer == result)
    }

    // MARK: - App Links

    private static let linkKeys = """
        { target: '{@data.app-link.target_url}', app: '{@data.app-link.referer_app_link.app_name}', \
        extra: '{@data.app-link.extras.n}', version: '{@data.app-link.version}', left: '{al_applink_data}' }
        """

    static let links: [(String, String)] = [
        ("", ""), ("{}", "target=URL"), (#"{"target_url":"https://example.org/1"}"#, "target=https://example.org/1"),
        (
            #"{"target_url":"app:x","extras":{"n":5},"referer_app_link":{"target_url":"","url":"fb:1","app_name":"Feed"},"#
                + #""version":"1.0","user_agent":"Some"}"#, "target=app:x|app=Feed|extra=5|version=1.0"
        ),
        (#"{"version":1,"extras":null,"target_url":null}"#, "target=URL|version=1"),
        (#"{"extras":{"n":true},"other":[1]}"#, "target=URL|extra=true"),
    ]

    @Test(arguments: links)
    func anAppLinkBecomesData(link: String, result: String) throws {
        var router = try Self.router("[app-links]", keys: Self.linkKeys, strict: false)
        let url = "notes:/a" + (link.isEmpty ? "" : "?al_applink_data=\(link.percentEncoded)")
        expect(try router.result(of: url), equals: result.replacing("URL", with: url))
    }

    static let faultyLinks: [(String, String)] = [
        ("x", "must be a JSON object"), ("", "must be a JSON object"), ("[]", "must be a JSON object"),
        (#"{"extras":{},}"#, "must be a JSON object"),
    ]

    @Test(arguments: faultyLinks)
    func anAppLinkOfAnotherShapeIsAnError(link: String, fault: String) throws {
        var router = try Self.router("[app-links]", keys: Self.linkKeys)
        let answer = try router.result(of: "notes:/a?al_applink_data=\(link.percentEncoded)")
        #expect(answer == "422 Parameter 'al_applink_data' \(fault).")
    }

    @Test func anAppLinkIsGivenOnce() throws {
        var router = try Self.router("[app-links]", keys: Self.linkKeys)
        let answer = try router.result(of: "notes:/a?al_applink_data={}&al_applink_data={}")
        #expect(answer == "422 Parameter 'al_applink_data' is given more than once.")
    }

    // MARK: - Faults

    static let faulty: [(String, String)] = [
        ("[rename]", "5:16: expected old and new names, such as { body: text } after 'rename:'"),
        ("[{ rename: [a] }]", "5:26: expected a mapping for old and new names, found a list"),
        ("[{ rename: {} }]", "5:26: expected at least one name"),
        ("[{ rename: { a: x-success } }]", "5:31: a parameter cannot be called 'x-success'"),
        ("[{ rename: { X-Source: a } }]", "5:28: a parameter cannot be called 'X-Source'"),
        ("[{ strip: [] }]", "5:25: expected at least one name"),
        ("[{ app-links: x }]", "5:29: expected nothing after 'app-links', found 'x'"),
        ("[user]", "5:16: unknown middleware 'user': it is a policy, which belongs under 'policies'"),
        (
            "[{ exec: [tidy, '{id}'] }]",
            "5:31: '{id}' can be absent: expected a capture that every URL has"
        ),
        ("[exec]", "5:16: expected a list of a program and its arguments, such as [notes, add, --, \"{text}\"]"),
    ]

    @Test(arguments: faulty)
    func middlewareThatCannotBeMeantIsAFault(middleware: String, fault: String) {
        #expect(Self.faults(middleware) == [fault])
    }
}
