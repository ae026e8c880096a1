import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting
import XCallbackWire

/// The steps of a reader of Docs/Tutorials/Assistant.md, from a route to a called tool.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct AssistantStoryTests {
    @Test func aRouteOfTheDocumentBecomesATool() async throws {
        let example = try #require(
            DocumentationTests.configurations.first {
                $0.file == "Docs/Tutorials/Assistant.md" && $0.text.contains("notes:/add")
            })
        let daemon = try RunningDaemon("schemes: [other]\nroutes: [{ route: other:/a, respond: { a: 1 } }]")
        let site = try DesktopSite(socket: daemon.socket)
        let file = daemon.directory.path(of: "config.yaml")
        // The program has the home of the daemon.
        let inbox = daemon.directory.path(of: "inbox.txt")
        try daemon.directory.write(example.text.replacing("$HOME/inbox.txt", with: inbox), to: "config.yaml")
        let loaded = try site.run("sh", "-c", "xcallback check \(file) && xcallback reload")
        #expect(loaded.status == 0 && loaded.output.contains("+ notes:/add"), "\(loaded.output)")
        #expect(try site.run("xcallback", "routes", "--origin", "agent").output.contains("/add"))

        let events = try await Client(socket: daemon.socket).events()
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize(as: "Editor")
        let line = "The milk is out; it's \"5 o'clock\" & #1 🥛"
        #expect(try client.call("notes_add", ["text": .string(line)])["isError"] == .bool(false))
        #expect(try daemon.directory.text(of: "inbox.txt") == "\(line)\n")
        for try await event in events {
            guard event.kind == .answer else { continue }
            #expect(event.origin == .agent && event.route == "notes:/add")
            break
        }
    }
}
