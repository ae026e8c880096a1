import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackAdministration
import XCallbackTesting
import XCallbackWire

/// The steps of a reader of Docs/HowTo/Assistant.md, from a route to a called tool.
@Suite(.blocking)
struct AssistantSessionTests {
    private static let page = "Docs/HowTo/Assistant.md"

    @Test func aRouteOfTheDocumentBecomesATool() async throws {
        let example = try #require(
            DocumentExample.all(in: "yaml").first {
                $0.file == Self.page && $0.text.contains("inbox:/add")
            })
        let daemon = try RunningDaemon("schemes: [other]\nroutes: [{ route: other:/a, respond: { a: 1 } }]")
        let site = try DesktopSite(socket: daemon.socket)
        let file = daemon.directory.path(of: "config.yaml")
        // The program has the home of the daemon.
        let inbox = daemon.directory.path(of: "inbox.txt")
        try daemon.directory.write(example.text.replacing("$HOME/inbox.txt", with: inbox), to: "config.yaml")
        let loaded = try site.run("sh", "-c", "xcallback check \(file) && xcallback reload")
        #expect(loaded.status == 0 && loaded.output.contains("+ inbox:/add"), "\(loaded.output)")
        expect(try site.run("xcallback", "routes", "--origin", "agent").output) { $0.contains("/add") }

        let events = try await Client(socket: daemon.socket).events()
        let client = try AssistantClient(of: daemon.socket)
        try client.initialize(as: "Editor")
        let line = "The milk is out; it's \"5 o'clock\" & #1 🥛"
        expect(try client.call("inbox_add", ["text": .string(line)])["isError"], equals: .bool(false))
        expect(try daemon.directory.text(of: "inbox.txt"), equals: "\(line)\n")
        for try await event in events {
            guard event.kind == .answer else { continue }
            #expect(event.origin == .agent && event.route == "inbox:/add")
            break
        }
    }

    /// The library passes few variables on to the command, so that is a script here that names the daemon.
    @Test(.enabled(if: PythonPackages.arePresent, "'make python-packages' fetches the Python packages"))
    func theProgramOfTheDocumentCallsTheTool() throws {
        let directory = try TemporaryDirectory()
        let inbox = directory.path(of: "inbox.txt")
        let configuration = try #require(DocumentExample.configurationOfCommands(in: Self.page))
        let daemon = try RunningDaemon(configuration.replacing("$HOME/inbox.txt", with: inbox))
        let command = "#!/bin/sh\nexec '\(try RunningDaemon.program("xcallback"))' \"$@\" --socket '\(daemon.socket)'\n"
        chmod(try directory.write(command, to: "bin/xcallback"), 0o755)
        let text = try #require(DocumentExample.all(in: "python", of: Self.page).first).text
        let (status, printed) = try ChildProcess.run(
            [PythonPackages.python, directory.write(text, to: "program.py")],
            environment: ["PATH=\(directory.path)/bin:/usr/bin:/bin", "HOME=\(directory.path)"])
        let shown = text.split(separator: "\n").compactMap { $0.split(separator: "  # ").dropFirst().first }
        #expect(status == 0 && printed.split(separator: "\n") == shown, "\(printed)")
        expect(try textOfFile(inbox), equals: "The milk is out.\n")
    }
}
