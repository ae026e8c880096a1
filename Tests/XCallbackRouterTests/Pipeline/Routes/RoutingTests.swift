import Testing
import XCallbackRouter
import XCallbackURL

struct RoutingTests {
    private func conversation() throws -> Conversation {
        try Conversation(
            [
                Route("notes:/ping"), Route("notes:/secret", isPublic: false), Route("notes:/n/:id"),
                Route("notes:/f/*path"), Route("notes:/opt{/:name}"),
                Route(
                    "todo:/ping",
                    .immediate(Fixed(.success(["todo": nil])))),
                Route("notes:/form", readsForms: true), Route("notes:/", .immediate(Fixed(.success(["root": nil])))),
            ],
            schemes: [SchemeSettings("notes"), SchemeSettings("todo", ignoresHosts: true)])
    }

    static let answers: [(String, String)] = [
        ("notes:/ping", "success"), ("NOTES://X-Callback-URL/ping?a=1", "success?a=1"), ("notes:", "success?root"),
        ("notes://ping", "success"), ("notes:/n/4%2F2?b&id=9&c=", "success?id=4%2F2&b&c="),
        ("notes:/opt/a?name=b", "success?name=a"), ("notes:/opt?name=b", "success?name=b"),
        ("notes:/f/a/b?path=c&d=1", "success?path=a&path=b&d=1"), ("todo://any/ping", "success?todo"),
        ("todo:/ping", "success?todo"), ("notes:/ping?a=+", "success?a=%2B"), ("notes:/form?a=+", "success?a=%20"),
        ("notes:/ping?X-Other=1&b=2", "success?b=2"),
    ]

    @Test(arguments: answers)
    func aURLReachesItsRoute(text: String, answer: String) throws {
        var conversation = try conversation()
        #expect(conversation.answer(to: text) == "xcallback://x-callback-url/\(answer)")
    }

    static let errors: [(String, Int)] = [
        ("notes:/pong", 404), ("notes:/Ping", 404), ("other:/ping", 404), ("notes://any/ping", 404), ("notes:/n", 404),
        ("other://me@host/ping", 404), ("other:/..", 404), ("notes://me@host/ping", 400), ("todo://h:80/ping", 400),
        ("notes://[::1]/ping", 400), ("notes:/..", 400), ("notes:/ping?a=%", 400), ("nothing", 400), ("", 400),
        ("notes:/ping?x-source=a&x-source=b", 400), ("notes:/ping?a=%00", 400),
    ]

    @Test(arguments: errors)
    func aURLWithoutRouteIsAnErrorOfTheDaemon(text: String, code: Int) throws {
        var conversation = try conversation()
        let answer = conversation.answer(to: text)
        #expect(answer.hasPrefix("xcallback://x-callback-url/error?errorCode=\(code)&errorMessage="))
    }
}
