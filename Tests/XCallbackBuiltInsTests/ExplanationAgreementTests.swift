import Testing
import XCallbackBuiltIns
import XCallbackPipeline
import XCallbackTesting
import XCallbackURL

/// What an explanation says, and what the pipeline answers.
struct ExplanationAgreementTests {
    private static let configuration = """
        schemes: { notes: , todo: { hosts: ignore } }
        middleware: [log]
        callbacks: { allow: [app] }
        define: { policies: { mine: { user: [1000] } } }
        limits: { parameters: 6, redirects: 3 }
        routes:
          - route: notes:/notes/:id
            public: true
            input: { id: int, mode: { type: enum, values: [a, b], default: a }, tag: { type: list, required: false } }
            respond: { id: "{id}", mode: "{mode}", tag: "{tag}" }
          - route: notes:/notes/new
            strict: true
            policies: [mine, { require: title }]
            input: { title: string }
            respond: { new: "{title}" }
          - route: notes:/notes/:title{/:part}
            respond: { title: "{title}", part: "{part}", all: "{@url} {@origin} {@uid} {@route}" }
          - group:
              prefix: /g
              policies: [{ rate: { limit: 3/d, per: route } }]
              routes:
                - route: notes:/slow
                  respond: { slow: "no" }
                - route: notes:/*path/end
                  form: true
                  respond: { path: "{path}", text: "{text}" }
          - route: notes:/out/:x
            public: true
            redirect: "app://there/{x}?a={a}"
          - route: notes:/tidy
            middleware: [strip, { rename: { body: text } }, app-links]
            policies: [{ group: [100, 5] }, { origin: socket }, { source: [notes, me] }]
            respond: { text: "{text}", title: "{title}", from: "{@data.app-link.target_url}" }
          - route: todo:/go/:n
            public: true
            redirect: "notes:/notes/{n}?mode={mode}"
          - route: todo:/round
            redirect: "todo:/round"
          - route: todo:/lost
            redirect: "notes:/{@source}/x"
          - route: todo:/run/:n
            exec: [echo, "{n}"]
        """

    private static let heads = [
        "notes:/notes/7", "notes://x-callback-url/notes/x", "notes:/notes/new", "notes:/notes/a/b", "notes:/notes",
        "notes:/g/slow", "notes:/g/a/b/end", "notes://g/end", "notes:/out/1", "notes:/out/%2e%2e", "todo://any/go/7",
        "todo:/go/new", "todo:/go/a%20b", "todo:/round", "todo:/lost", "todo:/run/1", "other:/a", "notes://u@h/notes/7",
        "notes:/a//b", "notes:/%zz", "NOTES:/notes/-0", "no url", "notes:/notes/é%00", "notes:/tidy", "notes:/tidy", "",
    ]
    private static let items = [
        "mode=a", "mode=c", "mode", "tag=1,2", "tag.0=x", "title=T", "title", "text=a+b", "a=%26", "a=%ff",
        "x-source=notes",
        "x-success=app:/s", "x-success=data:x", "x-error=app://e?q=1%23f", "x-error=app:/2", "x-cancel=todo:/c",
        "X-Other=1",
        "other", "id=9", "utm_source=x", "body=B", "al_applink_data=%7B%7D", "al_applink_data=x", "&", "=v",
    ]

    private static func url(_ random: inout SeededGenerator) -> String {
        var text = heads[random.below(heads.count)]
        for index in 0..<random.below(5) {
            text += (index == 0 ? "?" : "&") + items[random.below(items.count)]
        }
        return random.below(10) == 0 ? text + "#fragment" : text
    }

    @Test func itSaysWhatThePipelineAnswers() throws {
        var random = SeededGenerator(seed: 11)
        var router = try Configured(Self.configuration)
        var outcomes: Set<Explanation.Answer.Outcome?> = []
        for _ in 0..<4_000 {
            let text = Self.url(&random)
            let origin = random.below(3) == 0 ? Origin.desktop : .socket
            let peer = Peer(userID: random.below(4) == 0 ? 1001 : 1000, groupID: 100, processID: 1)
            let explanation = router.configuration.pipeline.explain(
                text.utf8.span, from: peer, origin: origin, state: router.state)
            let answer = router.answer(to: text, from: peer, origin: origin)
            guard answer != "a stage waits" else {
                #expect(explanation.response == nil && !explanation.isCertain, "\(text)")
                continue
            }
            let expected = explanation.answers.first { $0.outcome == explanation.response?.kind }
            #expect(expected?.url == answer && expected?.isComplete == true, "\(text) \(origin)")
            #expect(explanation.isCertain)
            outcomes.insert(explanation.response?.kind)
            // The rate of a day is used up at some time; then it starts anew.
            if random.below(40) == 0 { router.state = PipelineState() }
        }
        #expect(outcomes == [.success, .error, .redirect])
    }

    @Test func theArgumentsOfAProgramAreToldAndNothingIsRun() throws {
        let router = try Configured(
            routes: """
                - route: notes:/a/:n
                  input: { n: string, text: string }
                  exec: [touch, --, "/nowhere/{n}", "{text}"]
                """)
        func rehearsal(_ text: String) -> Rehearsal? {
            router.configuration.pipeline.explain(text.utf8.span, from: Configured.peer, origin: .socket)
                .hops.first?.stages.last?.rehearsal
        }
        #expect(rehearsal("notes:/a/x?text=-r%20'")?.command == ["touch", "--", "/nowhere/x", "-r '"])
        guard case .ends(.error(let error))? = rehearsal("notes:/a/%2Fetc?text=a")?.outcome else {
            Issue.record("a path that leads astray is let through")
            return
        }
        #expect(error.code == .badParameter)
    }
}
