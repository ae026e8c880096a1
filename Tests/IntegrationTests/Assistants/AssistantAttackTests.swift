import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting
import XCallbackWire

/// Attempts of assistants to reach forbidden routes, in every way of a client; each route that is not offered leaves a file.
@Suite(.blocking)
struct AssistantAttackTests {
    private let directory: TemporaryDirectory
    private let daemon: RunningDaemon

    init() throws {
        directory = try TemporaryDirectory()
        let ran = "exec: [touch, \(directory.path)/ran]"
        daemon = try RunningDaemon(
            """
            schemes: [app, pub]
            routes:
              - { route: "app:/items/:id", agent: item, respond: { id: "{id}" } }
              - { route: "app:/items/:id/note{/:more}", agent: note, respond: { id: "{id}", more: "{more}" } }
              - { route: "app:/files/*path", agent: file, respond: { path: "{path}" } }
              - { route: app:/say, agent: say, input: { text: string, list: { type: list, of: string, required: false } }, respond: { text: "{text}", list: "{list}" } }
              - { route: "app:/led", agent: led, input: { seg: string }, redirect: "app:/{seg}" }
              - { route: "app:/led/item", agent: led_item, input: { id: string }, redirect: "app:/items/{id}" }
              - { route: app:/items/all, \(ran) }
              - { route: app:/items/all/note, \(ran) }
              - { route: app:/files/private/key, \(ran) }
              - { route: app:/kept, \(ran) }
              - { route: "app:/kept/:id", public: true, \(ran) }
              - { route: pub:/kept, public: true, \(ran) }
              - { route: app:/delivered, deliver: editor }
            """)
    }

    private func expectNothingRan(_ hint: String) {
        #expect(!directory.contains("ran"), "\(hint)")
    }

    /// Spellings of an action that is not offered.
    static let spellings = [
        "app:/kept", "app:///kept", "app://kept", "app://x-callback-url/kept", "APP:/kept", "App://X-Callback-Url/kept",
        "app:/%6Bept", "app:/k%65pt", "app:/kept/", "app:/kept#a", "app:/kept?", "app:/kept?a=1&x-source=me",
        "app:/kept?x-success=app:/say", "app:/items/../kept", "app:/./kept", "app:/items/%2e%2e/kept", "app:/kept;a",
        "app:/kept/7",
        "app:kept", "app:/items/all", "app:/items/%61ll", "app:/files/private/key", "app:/files/private%2Fkey",
        "pub:/kept", "PUB:/kept", "app:/delivered", " app:/kept", "app:/kept ",
    ]

    @Test(arguments: spellings)
    func noSpellingOfAnotherActionIsOffered(url: String) throws {
        let client = try RouterClient(daemon.socket)
        for follow in [false, true] {
            let reply = try client.call(
                "Open", ["url": .string(url), "origin": "agent", "follow": .bool(follow)])
            // A text that is no spelling of it may be one of an offered action.
            if reply["outcome"]?.text != "success" {
                #expect([400, 403, 404].contains(reply["code"]?.integer), "\(reply)")
            }
        }
        // A callback is a request of the assistant, too.
        let chained = "app:/say?text=a&x-success=\(url.replacing("%", with: "%25").replacing("&", with: "%26"))"
        _ = try? client.call("Open", ["url": .string(chained), "origin": "agent", "follow": .bool(true)])
        expectNothingRan(url)
    }

    /// Values that spell other actions.
    static let values = [
        "all", "ALL", "%61ll", "..", ".", "../kept", "../../kept", "..%2fkept", "all/note", "all?x=1", "all#x",
        "7/../../kept",
        "private/key", "private%2Fkey", "/private/key", "//kept", "app:/kept", "7&x-success=app:/kept",
        "7?x-success=app%3A%2Fkept",
        "7\nx-success: app:/kept", "7\r\n", "\u{0}", "7\u{0}all", "x-callback-url", "\u{202E}lla", "a\u{301}ll",
        "all\u{200B}", "",
        " all", "all ", "${all}", "{id}", "$(touch ran)", "`touch ran`", "-rf", String(repeating: "../", count: 300),
    ]

    @Test func noValueLeadsToAnotherAction() throws {
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        for value in Self.values {
            let text = JSONValue.string(value)
            let item = try client.call("item", ["id": text])
            if item["isError"] == .bool(false) {
                // Accepted values return unchanged.
                #expect(item["structuredContent"] == ["id": text], "\(value)")
            }
            let note = try client.call("note", ["id": text, "more": text])
            if note["isError"] == .bool(false) {
                #expect(note["structuredContent"] == ["id": text, "more": text], "\(value)")
            }
            _ = try client.call("note", ["id": text])
            let file = try client.call("file", ["path": ["private", text]])
            if file["isError"] == .bool(false) {
                #expect(file["structuredContent"] == ["path": ["private", text]], "\(value)")
            }
            _ = try client.call("file", ["path": [text]])
            let said = try client.call("say", ["text": text, "list": [text, text]])
            if said["isError"] == .bool(false) {
                #expect(said["structuredContent"] == ["text": text, "list": [text, text]], "\(value)")
            }
            expectNothingRan(value)
        }
        // The path of another route is rejected by name.
        expect(try client.text(of: "item", ["id": "all"])) { $0.hasPrefix("error: Another route answers this URL") }
    }

    /// A value that names the target of a redirect leads only to offered routes.
    @Test func noValueOfARedirectLeadsToAnotherAction() throws {
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        for value in Self.values + ["kept", "delivered"] {
            _ = try client.call("led", ["seg": .string(value)])
            _ = try client.call("led_item", ["id": .string(value)])
            expectNothingRan(value)
        }
        expect(
            try client.text(of: "led", ["seg": "kept"]),
            equals: "error: This action is not offered to assistants. (403)")
        expect(
            try client.text(of: "led_item", ["id": "all"]),
            equals: "error: This action is not offered to assistants. (403)")
        expect(try client.call("led_item", ["id": "7"])["structuredContent"], equals: ["id": "7"])
    }

    /// Arguments that are not parameters, and unknown tools.
    @Test func nothingElseIsTaken() throws {
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        for name in [
            "x-success", "x-error", "x-cancel", "x-source", "X-Success", "route", "origin", "url", "follow", "id", "",
        ] {
            let arguments = JSONValue.object([.init("text", "a"), .init(name, "app:/kept")])
            expect(try client.text(of: "say", arguments), "\(name)") { $0.contains("no parameter '\(name)'") }
        }
        for tool in ["app_kept", "app:/kept", "pub_kept", "item\u{0}", "ITEM", "../kept", ""] {
            expect(try client.call(tool, ["id": "7"])["code"]?.integer, equals: -32602, "\(tool)")
        }
        for arguments in [["a"], "a", .number(7)] as [JSONValue] {
            expect(try client.call("say", arguments)["code"]?.integer, equals: -32602)
        }
        expect(try client.text(of: "say", ["text": ["x": "y"]])) { $0.contains("must not be an object") }
        expectNothingRan("arguments")
    }

    /// A name whose action keeps changing runs the listed action, or none.
    @Test func reloadsLeadNoCallElsewhere() async throws {
        let text = try daemon.directory.text(of: "config.yaml")
        let offered = #"{ route: "app:/items/:id", agent: item, respond: { id: "{id}" } }"#
        #expect(text.contains(offered))
        let other = text.replacing(
            offered,
            with: """
                { route: "app:/items/:id", exec: [touch, \(directory.path)/ran] }
                  - { route: "app:/others/:id", agent: item, respond: { other: "{id}" } }
                """)
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        let router = Client(socket: daemon.socket)
        for round in 0..<40 {
            let ids = try (0..<5).map { _ in try client.begin("item", ["id": "7"]) }
            try daemon.directory.write(round.isMultiple(of: 2) ? other : text, to: "config.yaml")
            try await router.reload()
            for id in ids {
                let answer = try client.message(to: id)
                guard let result = answer["result"] else {
                    #expect(answer["error"]?["code"]?.integer == -32602)
                    continue
                }
                let content = result["structuredContent"] ?? .null
                let isOwn = content["id"] == "7" || content["other"] == "7"
                #expect(isOwn || "\(result)".contains(" (40"), "\(result)")
            }
            expectNothingRan("round \(round)")
        }
    }
}
