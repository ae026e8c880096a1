import TestSupport
import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting
import XCallbackWire

/// The routes of an application, as the daemon and its clients know them from the types.
@Suite(.blocking)
struct TypedRouteTests {
    private struct Shop: App {
        enum List: String, Codable, CaseIterable { case food, hardware }

        struct AddItem: Action {
            struct Input: Codable { var list: List, item: String, count: Int? }
            struct Output: Codable { var items: Int }

            let title = "Put something on a list"
            let description = "Adds one item to the end of a list."
        }
    }

    private static func router() throws -> Router {
        try Router(Shop()) { router in
            router.answer(Shop.AddItem()) { input in .init(items: input.count ?? 1) }
        }
    }

    /// The user adds what is theirs to the file of the application.
    private static func file() throws -> String {
        try router().routes(as: .dropIn).replacing(
            "    deliver:", with: "    agent: add_item\n    wait: 60s\n    deliver:")
    }

    @Test func theDaemonLoadsTheFileAndItsClientsShowTheTypes() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.file(), to: "routes.d/shop.yaml")
        let daemon = try RunningDaemon(starting: "schemes: [other]\n", in: directory)
        try daemon.waitUntilReady()
        let route = try #require(try await Client(socket: daemon.socket).routes().first)
        #expect(route.name == "shop:/add-item" && route.title == "Put something on a list")
        #expect(route.parameters.map(\.type) == ["enum", "string", "int"])
        #expect(route.returns?.map(\.name) == ["items"])
        let site = try DesktopSite(socket: daemon.socket, session: [])
        let explained = try site.run("xcallback", "explain", "shop:/add-item?list=cars&item=a")
        #expect(explained.output.contains("Parameter 'list' must be one of food, hardware."), "\(explained.output)")

        let client = try AssistantClient(of: daemon.socket)
        try client.initialize()
        let tool = try client.ask("tools/list")["result"]?["tools"]?.elements?.first
        let properties = tool?["inputSchema"]?["properties"]
        #expect(tool?["description"]?.text?.hasPrefix("Adds one item to the end of a list.") == true)
        #expect(properties?["list"]?["enum"] == ["food", "hardware"], "\(tool as Any)")
        #expect(properties?["count"]?["type"] == "integer" && properties?["item"]?["type"] == "string")

        let serving = Task { try await Self.router().serve(as: "shop", through: Client(socket: daemon.socket)) }
        try site.install(
            program: "menu",
            script:
                #"{ echo "[$XCALLBACK_PROMPT]"; cat; } >>"$HOME/asked"; head -n 1 "$HOME/choices"; sed -i 1d "$HOME/choices""#
        )
        try site.directory.write("Put something on a list (shop:/add-item)\nhardware\nnails\n7\n", to: "choices")
        let picked = try site.run("xcallback", "pick", "--menu", "menu")
        expect(picked.output, equals: "items=7\n")
        let asked = try site.directory.text(of: "asked")
        #expect(
            asked.contains("[list: enum]\nfood\nhardware\n") && asked.contains("[count: int, optional]"), "\(asked)")
        serving.cancel()
        try await serving.value
    }

    @Test func aReloadReportsDifferencesAndThatNoneAreLeft() async throws {
        let file = try Self.file()
        let changed = file.replacing(#""type":"int""#, with: #""type":"string""#)
        let daemon = try RunningDaemon(file)
        let client = Client(socket: daemon.socket)
        let (states, stated) = AsyncStream<Router.ServingState>.makeStream()
        let serving = Task { try await Self.router().serve(as: "shop", through: client) { stated.yield($0) } }
        var next = states.makeAsyncIterator()
        #expect(await next.next() == .serving)
        try daemon.reload(changed)
        let differing = await next.next()
        #expect("\(differing as Any)".contains("'count' is string here"), "\(differing as Any)")
        try daemon.reload(file)
        #expect(await next.next() == .serving)
        serving.cancel()
        try await serving.value
    }

    private static let differences: [(change: String, by: String, difference: String?)] = [
        ("", "", nil),
        (#""type":"int""#, #""type":"string""#, "'count' is string here, and int in the application"),
        (
            #"["food","hardware"]"#, #"["food","cars"]"#,
            "'list' is one of food, cars here, and one of food, hardware in the application"
        ),
        (#""values":["food","hardware"]"#, #""values":["food"]"#, nil),
        (#""item": {"type":"string"}"#, #""item": {"type":"uuid"}"#, nil),
        (
            #""item": {"type":"string"}"#, #""item": {"type":"list"}"#,
            "'item' is a list of string here, and string in the application"
        ),
        (#""item": {"#, #""note": {"required":false,"#, "'item' is not declared, and the application requires it"),
        (#""count": {"#, #""number": {"#, "'number' is declared, and the application does not read it"),
    ]

    @Test(arguments: differences)
    func typesThatDifferAreReportedToTheApplicationAndByCheck(
        change: String, by: String, difference: String?
    ) async throws {
        let file = try Self.file().replacing(change, with: by)
        let daemon = try RunningDaemon(file)
        let client = Client(socket: daemon.socket)
        let (states, stated) = AsyncStream<Router.ServingState>.makeStream()
        let serving = Task { try await Self.router().serve(as: "shop", through: client) { stated.yield($0) } }
        func check() throws -> String {
            try ChildProcess.run(
                [RunningDaemon.program("xcallback"), "check", "--socket", daemon.socket],
                environment: ["PATH=/usr/bin:/bin", "HOME=/"]
            ).output
        }
        if let difference {
            let differing = await states.first { $0 != .serving }
            #expect("\(differing as Any)".contains("'shop:/add-item': \(difference)"), "\(differing as Any)")
            let warnings = try check()
            #expect(warnings.contains("config.yaml:"), "\(warnings)")
            #expect(warnings.contains("warning: 'shop:/add-item': \(difference)"), "\(warnings)")
        } else {
            _ = await states.first { _ in true }
            #expect(try !check().contains("the application"))
        }
        serving.cancel()
        try await serving.value
    }
}
