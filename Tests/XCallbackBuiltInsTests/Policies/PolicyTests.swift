import Glibc
import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackRouter
import XCallbackTesting

struct PolicyTests {
    private static func router(_ policies: String, input: String = "{}") throws -> Configured {
        try Configured(
            routes: """
                - route: notes:/a{/:id}
                  input: \(input)
                  policies: \(policies)
                  respond: { ok: 1 }
                """)
    }

    private static func faults(_ policies: String) -> [String] {
        Configured.faults(of: "schemes: [notes]\nroutes:\n- route: /a\n  respond:\n  policies: \(policies)\n")
    }

    private static let otherUser = "403 Policy 'user' refuses the request: the user is not allowed."

    static let users: [(users: String, userID: UInt32, passes: Bool)] = [
        ("1000", 1000, true), ("1000", 1001, false), ("root", 0, true), ("root", 1, false), ("[0, 1000]", 1000, true),
        ("[0, root]", 1000, false), ("self", geteuid(), true), ("self", geteuid() + 1, false),
    ]

    @Test(arguments: users)
    func onlyTheUsersNamedPass(users: String, userID: UInt32, passes: Bool) throws {
        var router = try Self.router("[{ user: \(users) }]")
        let peer = Peer(userID: userID, groupID: 0, processID: 1)
        expect(try router.result(of: "notes:/a", from: peer), equals: (passes ? "ok=1" : Self.otherUser))
    }

    static let requirements: [(requirement: String, rest: String, refusal: String?)] = [
        ("token", "?token=a", nil), ("token", "?Token=a", "parameter 'token' is missing."),
        ("token", "", "parameter 'token' is missing."), ("[a, b]", "?b=1", "parameter 'a' is missing."),
        ("[a, b]", "?b=1&a=2", nil), ("id", "/1", nil), ("id", "", "parameter 'id' is missing."),
        ("{ mode: [read, list] }", "?mode=list", nil), ("{ mode: read }", "?mode=read", nil),
        ("{ mode: read }", "?mode=secret", "parameter 'mode' has another value."),
        ("{ mode: read }", "?mode", "parameter 'mode' is missing."),
        ("token", "?token", "parameter 'token' is missing."),
        ("{ mode: read }", "?mode=secret&mode=read", "parameter 'mode' has another value."),
        ("{ mode: read }", "?mode=read&mode=secret", "parameter 'mode' has another value."),
        ("{ mode: [read] }", "", "parameter 'mode' is missing."), ("{ mode: }", "?mode=any", nil),
    ]

    @Test(arguments: requirements)
    func onlyRequestsWithTheParametersPass(requirement: String, rest: String, refusal: String?) throws {
        var router = try Self.router("[{ require: \(requirement) }]")
        let expected = refusal.map { "403 Policy 'require' refuses the request: \($0)" } ?? "ok=1"
        expect(try router.result(of: "notes:/a\(rest)"), equals: expected)
    }

    static let disguises = [
        "?mode=read&mode=secret", "?mode=read&mode.0=secret", "?mode.0=read&mode.1=secret", "?mode=read,secret",
        "?m%6fde=read&mod%65=secret", "?mode=read&mode=", "?mode=read%2Csecret",
    ]

    @Test(arguments: disguises)
    func noElementOfAListEscapesARequirement(query: String) throws {
        var router = try Configured(
            routes: """
                  - route: notes:/a
                    input: { mode: { type: list, of: string } }
                    policies: [{ require: { mode: [read] } }]
                    respond: { ok: "{mode}" }
                """)
        expect(try router.result(of: "notes:/a\(query)")) { $0.hasSuffix("parameter 'mode' has another value.") }
        expect(try router.result(of: "notes:/a?mode=read&mode.0=read"), equals: "ok=read|ok=read")
        expect(try router.result(of: "notes:/a?mode=read,%72ead"), equals: "ok=read|ok=read")
        expect(try router.result(of: "notes:/a?mode"), equals: "ok")
    }

    @Test func anItemThatIsNoElementDoesNotFulfilARequirement() throws {
        var router = try Configured(
            routes: """
                  - route: notes:/a
                    input: { tag: { type: list, of: string, required: false } }
                    policies: [{ require: tag }]
                    respond: { tag: "{tag}" }
                """)
        expect(try router.result(of: "notes:/a?tag.x=1")) { $0.hasSuffix("parameter 'tag' is missing.") }
        expect(try router.result(of: "notes:/a?tag.0=1"), equals: "tag=1")
    }

    @Test func equalRatesOfOneRouteAreCountedApart() throws {
        var router = try Self.router("[{ rate: 4/d }, { rate: 4/d }]")
        for _ in 0..<4 { expect(try router.result(of: "notes:/a"), equals: "ok=1") }
        expect(try router.result(of: "notes:/a"), equals: Self.tooMany)
    }

    private static let tooMany = "429 Policy 'rate' refuses the request: too many requests, try again later."

    @Test func aRateIsForEachUser() throws {
        var router = try Self.router("[{ rate: 2/s }]")
        let other = Peer(userID: 1001, groupID: 0, processID: 1)
        expect(try router.result(of: "notes:/a"), equals: "ok=1")
        expect(try router.result(of: "notes:/a"), equals: "ok=1")
        expect(try router.result(of: "notes:/a"), equals: Self.tooMany)
        expect(try router.result(of: "notes:/a", from: other), equals: "ok=1")
        router.host.time = 500_000_000
        expect(try router.result(of: "notes:/a"), equals: "ok=1")
        expect(try router.result(of: "notes:/a"), equals: Self.tooMany)
    }

    @Test func aRateOfARouteIsForAllUsersTogether() throws {
        var router = try Self.router("[{ rate: { limit: 1/h, per: route } }]")
        let other = Peer(userID: 1001, groupID: 0, processID: 1)
        expect(try router.result(of: "notes:/a"), equals: "ok=1")
        expect(try router.result(of: "notes:/a", from: other), equals: Self.tooMany)
    }

    @Test func routesThatDifferInTheTypesOfTheirCapturesHaveRatesOfTheirOwn() throws {
        var router = try Configured(
            routes: """
                - { route: notes:/notes/:id, policies: [{ rate: 1/h }], respond: { is: text } }
                - { route: notes:/notes/:id, input: { id: int }, policies: [{ rate: 1/h }], respond: { is: int } }
                """)
        expect(try router.result(of: "notes:/notes/a"), equals: "is=text")
        expect(try router.result(of: "notes:/notes/1"), equals: "is=int")
        expect(try router.result(of: "notes:/notes/b"), equals: Self.tooMany)
    }

    @Test func whatIsUsedUpOutlivesAReload() throws {
        var first = try Self.router("[{ rate: 1/h }]")
        _ = try first.result(of: "notes:/a")
        var second = try Self.router("[{ rate: 1/h }]")
        second.host = first.host
        expect(try second.result(of: "notes:/a"), equals: Self.tooMany)
    }

    static let faulty: [(String, String)] = [
        ("[user]", "5:14: expected a user, or a list of users after 'user:'"),
        (
            "[{ user: nobody-of-this-name }]",
            "5:22: unknown user 'nobody-of-this-name': expected 'self', a name or a number"
        ),
        ("[{ user: [] }]", "5:22: expected at least one user"),
        ("[rate]", "5:14: expected a rate such as 10/s after 'rate:'"),
        ("[{ rate: 10 }]", "5:22: expected a rate such as 10/s, 100/m or 5/h, found '10'; did you mean '10/s'?"),
        ("[{ rate: { per: user } }]", "5:22: expected the key 'limit' in a rate"),
        ("[{ rate: { limit: 1/s, pre: user } }]", "5:36: unknown key 'pre' in a rate; did you mean 'per'?"),
        ("[require]", "5:14: expected the names of parameters after 'require:'"),
        ("[{ require: [] }]", "5:25: expected at least one parameter"),
        ("[usr]", "5:14: unknown policy 'usr'; did you mean 'user'?"),
        ("[log]", "5:14: unknown policy 'log': it is middleware, which belongs under 'middleware'"),
    ]

    @Test(arguments: faulty)
    func aPolicyThatCannotBeMeantIsAFault(policies: String, fault: String) {
        #expect(Self.faults(policies) == [fault])
    }
}
