import Testing
import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// Routes of the syntaxes `url` and `text`.
struct SyntaxTests {
    private static let schemes = [
        SchemeSettings("notes"), SchemeSettings("https", syntax: .url), SchemeSettings("ssh", syntax: .url),
        SchemeSettings("mpv", syntax: .text),
    ]

    private func conversation() throws -> Conversation {
        let port = ParameterRule(type: .integer)
        var text = ParameterRule(type: .string)
        text.isRequired = false
        return try Conversation(
            [
                Route("https://github.com/acme{/*path}", as: .url, isPublic: false),
                Route("https://:host{/*path}", as: .url),
                Route(
                    "ssh://:host", as: .url, input: Input([Input.Declaration(name: "@port", rule: port)])),
                Route(
                    "ssh://:host/open", as: .url, isPublic: false, input: Input([.init(name: "@password", rule: text)])),
                Route("https://*all", as: .url), Route("ssh::target", as: .url, isPublic: false),
                Route("mpv:*link", as: .text),
                Route("mpv:https://private.example/*link", as: .text, isPublic: false),
                Route("mpv://files/*path", as: .text, isPublic: false), Route("mpv:queue", as: .text, isPublic: false),
                Route("notes:/read"), Route("notes:/Create", isPublic: false), Route("notes:/:other"),
                Route("notes:/to", .immediate(Answering(answer: redirect))),
            ], schemes: Self.schemes)
    }

    private func redirect(_ request: Request) -> Response {
        (try? Callback(request.parameters["url"] ?? "")).map { .redirect($0) } ?? .cancel
    }

    static let answers: [(String, String)] = [
        ("https://github.com/acme/a//b?x-success=notes:/read&X-Y=1", "path=a|path=|path=b|x-success=notes:/read|X-Y=1"),
        ("https://GITHUB.com/acme", ""), ("https://gitlab.com/acme/", "host=gitlab.com|path=acme|path="),
        ("ssh://ann@Host:22?@port=23", "host=host|@port=22"), ("ssh:ann@host", "target=ann@host"),
        ("ssh://ann:@h:1", "host=h|@port=1"), ("ssh://ann:s%C3%BC@h/open", "host=h|@password=sü"),
        ("ssh://ann@h/open?@password=x", "host=h"), ("https://bücher.example/a", "all=bücher.example|all=a"),
        ("https://github.com/acme/../evil", "host=github.com|path=evil"), ("https://github.com/./acme", ""),
        ("mpv:https://h/?a=b#c", "link=https://h/?a=b#c"), ("mpv://https://h/?a=b#c", "link=https://h/?a=b#c"),
        ("mpv:///srv/a.mkv", "link=/srv/a.mkv"), ("mpv:https://private.example/x", "link=x"),
        ("mpv://https://private.example/x", "link=x"), ("mpv://files/a", "path=a"), ("mpv:files/a", "link=files/a"),
        ("mpv://queue", ""), ("mpv:queue", ""), ("MPV:%zz\\", "link=%zz\\"), ("notes://create", ""),
        ("notes://CREATE:/", ""), ("notes:/create", "other=create"), ("notes://Other", "other=Other"),
    ]

    @Test(arguments: answers)
    func aURLReachesItsRoute(text: String, items: String) throws {
        var conversation = try conversation()
        let answer = conversation.answer(to: text)
        let execution = conversation.execution
        guard case .success(let found) = execution.response else { return #expect(answer == "success") }
        #expect(found.texts.joined(separator: "|") == items)
    }

    static let errors: [(String, Int)] = [
        ("https:/a", 400), ("https://a\\b", 400), ("https://1.2/", 400), ("ssh://h:99999", 400), ("ssh://h/a/b", 404),
        ("ssh://h", 422), ("ssh://h?@port=23", 422), ("ssh://ann:x@h:1", 400), ("https://:x@github.com/acme", 400),
        ("ssh://h:22/a?x-error=notes:/read", 404), ("mpv:", 404),
        ("mpv://", 404), ("mpv:////a", 422), ("notes:/read?x-success=https://evil.example/", 400),
        ("notes:/read?x-success=ssh://evil.example/", 400), ("notes:/read?x-error=MPV:x", 400),
    ]

    @Test(arguments: errors)
    func aURLThatNoRouteAnswersIsAnError(text: String, code: Int) throws {
        var conversation = try conversation()
        #expect(conversation.answer(to: text).hasPrefix("xcallback://x-callback-url/error?errorCode=\(code)&"))
    }

    /// Own means the syntax `callback`: https needs a list, and a redirect to any other scheme ends the request.
    @Test func schemesOfOtherSyntaxesAreForeign() throws {
        var conversation = try conversation()
        #expect(
            conversation.answer(to: "notes:/to?url=ssh:%2F%2Fh:1&x-success=notes:/read").hasPrefix(
                "ssh://h:1?x-success="))
        #expect(conversation.answer(to: "notes:/to?url=ssh:%2F%2Fh:1", origin: .desktop).contains("errorCode=403"))
        #expect(conversation.answer(to: "notes:/to?url=https:%2F%2Fh").contains("errorCode=403"))
        #expect(conversation.answer(to: "notes:/to?url=notes:read") == "xcallback://x-callback-url/success")
        for (text, isOwn) in [("notes:/read", true), ("xcallback:/a", true), ("https://h", false), ("mpv:a", false)] {
            #expect(conversation.pipeline.answersItself(Array(text.utf8).span) == isOwn)
        }
        for origin in [Origin.socket, .desktop, .agent] {
            let answer = conversation.answer(to: "notes:/read?x-success=https://evil.example/", origin: origin)
            #expect(answer.contains("errorCode=400"))
        }
    }

    /// Another process brings a request with its URL; it may not be read in another syntax.
    @Test(arguments: [(URLSyntax.url, true), (.callback, false), (.text, false)])
    func aRequestIsAdmittedInItsSyntax(syntax: URLSyntax, isAdmitted: Bool) throws {
        let pipeline = try conversation().pipeline
        var request = Request(peer: Conversation.peer, origin: .socket)
        try request.url.parse("https://github.com/acme/a/".utf8.span, as: syntax)
        request.parameters = ["path": "a", "path": "", "x-a": "1"]
        let route = try? pipeline.admit(&request, to: "https://github.com/acme{/*path}", isDecoded: false)
        #expect((route != nil) == isAdmitted)
    }

    /// No spelling of a private URL reaches a route from the desktop that another spelling does not.
    @Test(arguments: [
        ("https://github.com/acme", URLSyntax.url), ("mpv:https://private.example/x", .text),
        ("notes://create", .callback),
    ])
    func noSpellingReachesAPrivateRoute(url: String, syntax: URLSyntax) throws {
        var conversation = try conversation()
        var random = SeededGenerator(seed: 55)
        let privates = ["https://github.com/acme{/*path}", "mpv:https://private.example/*link", "notes:/Create"]
        var reachedCount = 0
        for _ in 0..<10_000 {
            let text = random.spelling(of: url)
            let answer = conversation.answer(to: Array(text.utf8), origin: .desktop)
            let route = conversation.execution.request.route
            guard answer.hasPrefix("xcallback://x-callback-url/success") else { continue }
            reachedCount += 1
            #expect(!privates.contains(route), "\(text)")
            // A public route that answers reads another host, text or action.
            let isSame = conversation.execution.request.url.isSame(as: url, syntax)
            #expect(!isSame, "\(text)")
        }
        #expect(reachedCount > 0)
    }
}

extension SeededGenerator {
    /// Returns another spelling of a URL: with other letters, escapes, slashes, ports and users.
    fileprivate mutating func spelling(of url: String) -> String {
        var bytes = Array(url.utf8)
        let pieces = [
            "/", "//", "\\", "@", ":", ":443", "%2F", "%2e", ".", "..", "[", "?", "#", "a@", "%00", "%", "\t", "ü", "K",
        ]
        for _ in 0..<(1 + below(3)) {
            let index = below(bytes.count)
            switch below(5) {
            case 0: bytes[index] ^= bytes[index] > 0x40 && bytes[index] < 0x80 ? 0x20 : 0
            case 1:
                let digits = Array("0123456789ABCDEF".utf8)
                let byte = bytes[index]
                bytes.replaceSubrange(
                    index...index, with: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]])
            case 2: bytes.remove(at: index)
            default: bytes.insert(contentsOf: pieces[below(pieces.count)].utf8, at: index)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ActionURL {
    /// Whether a program would read it as a URL of a private route.
    fileprivate func isSame(as text: String, _ syntax: URLSyntax) -> Bool {
        switch syntax {
        case .callback: segments.map { $0.lowercased() } == ["create"] && hostIsSegment
        case .url: host == "github.com" && segments.dropFirst().first == "acme"
        case .text: ["mpv:https://private.example/x", "mpv://https://private.example/x"].contains(received)
        }
    }
}
