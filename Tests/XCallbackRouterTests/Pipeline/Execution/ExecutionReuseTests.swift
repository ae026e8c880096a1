import Testing
import XCallbackRouter
import XCallbackTesting
import XCallbackURL

struct ExecutionReuseTests {
    /// A route that answers the same to every request.
    private static func constant(_ address: String, _ items: QueryItems, adding middleware: Changing?) throws -> Route {
        var facts = StageFacts()
        facts.constantResponse = .success(items)
        var stages = Route.Stages(handler: NamedStage(.immediate(Fixed(.success(items))), facts: facts))
        stages.middleware = middleware.map { [NamedStage(.immediate($0))] } ?? []
        return Route(scheme: "notes", pattern: try RoutePattern(address), chain: Chain(stages))
    }

    private func conversation() throws -> Conversation {
        let input = Input(
            [
                Input.Declaration(name: "id", rule: ParameterRule(type: .integer)),
                Input.Declaration(name: "tags", rule: ParameterRule(type: .string, isList: true)),
            ], isStrict: true)
        let facts = Answering { request in
            var items = request.parameters
            items.append("facts", "\(request.route) \(request.origin) \(request.data.count) \(request.source ?? "")")
            items.append("url", request.receivedText)
            return .success(items)
        }
        let marking = Changing { request in
            request.data["key"] = "\(request.url.received)"
            request.parameters.append("marked", nil)
        }
        let adding = Changing(response: { response in
            if case .success(let items) = response { response = .success(items.appending("added")) }
        })
        return try Conversation(
            [
                Self.constant("/a", ["k": "a"], adding: nil), Self.constant("/b", ["k": "b"], adding: nil),
                Self.constant("/added", ["k": "c"], adding: adding), Self.constant("/nothing", [:], adding: nil),
                Route("notes:/facts{/:a}{/:b}", .immediate(facts)), Route("notes:/f/*path", isPublic: false),
                Route("notes:/input/:id", input: input), Route("notes:/form", readsForms: true),
                Route("notes:/marked", middleware: [.immediate(marking)], .immediate(facts)),
                Route("notes:/in", .immediate(Fixed(.redirect(Callback("notes:/facts/1/2?b=3"))))),
                Route("notes:/out", .immediate(Fixed(.redirect(Callback("app:/there"))))),
                Route("notes:/stop", .immediate(Fixed(.cancel))),
            ], maximumParameters: 4)
    }

    @Test func nothingIsLeftOverFromTheRequestsBefore() throws {
        var generator = SeededGenerator(seed: 5)
        var conversation = try conversation()
        let pristine = conversation
        for _ in 0..<5000 {
            let text = generator.request()
            let origin: Origin = Bool.random(using: &generator) ? .socket : .desktop
            let peer = Peer(userID: .random(in: 0...9, using: &generator), groupID: 0, processID: 1)
            var fresh = pristine
            fresh.execution = Execution(peer: peer, origin: origin)
            let answer = conversation.answer(to: text, from: peer, origin: origin)
            #expect(answer == fresh.answer(to: text, from: peer, origin: origin), "\(text)")
            #expect(conversation.execution.isURL == fresh.execution.isURL)
            #expect(conversation.execution.request.route == fresh.execution.request.route)
        }
    }
}

extension QueryItems {
    fileprivate func appending(_ name: String) -> QueryItems {
        var items = self
        items.append(name, nil)
        return items
    }
}

extension SeededGenerator {
    /// The URL of a request, or something that is nearly one.
    fileprivate mutating func request() -> String {
        let starts = [
            "notes:/facts", "notes://facts/a", "notes:/f/a", "notes:/input/1", "notes:/input/a", "notes:/form",
            "notes:/a", "notes:/b", "notes:/added", "notes:/nothing",
            "notes:/marked", "notes:/in", "notes:/out", "notes:/stop", "notes:/none", "other:/a", "notes://a:1/b",
            "nothing", "NOTES://x-callback-url/facts", "",
        ]
        let segments = ["/b", "/%41", "/%2F", "/é", "//", "/..", "/%zz", "/"]
        let items = [
            "a=1", "b", "tags=a,b", "tags=c", "tags.1=d", "marked=%20", "c=+", "é=%C3%A9", "%zz", "x-source=s",
            "x-success=app:/s%3Fa=1", "x-success=notes:/n", "x-error=app:/e", "x-error=e", "x-cancel=notes:/c",
            "X-Other=1", "x-success=data:", "id=7", "",
        ]
        var text = starts[.random(in: 0..<starts.count, using: &self)]
        for _ in 0..<Int.random(in: 0...2, using: &self) {
            text += segments[.random(in: 0..<segments.count, using: &self)]
        }
        for index in 0..<Int.random(in: 0...4, using: &self) {
            text += (index == 0 ? "?" : "&") + items[.random(in: 0..<items.count, using: &self)]
        }
        return text
    }
}
