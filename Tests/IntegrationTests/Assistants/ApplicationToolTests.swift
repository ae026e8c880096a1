import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Applications as tools: their answers are the results.
@Suite(.blocking)
struct ApplicationToolTests {
    /// A stand-in for Obsidian with the plugin Actions URI, which encodes its answers as forms do, with `+` for a blank.
    private static let application = """
        report "$1"
        case "$1" in
        *actions-uri/note/get*file=gone*) gio open "$(item "$1" x-error)?errorCode=404&errorMessage=Note+couldn%27t+be+found" ;;
        *actions-uri/note/get*) gio open "$(item "$1" x-success)?result-filepath=a+note.md&result-content=%23+Title%0Aline+1" ;;
        *actions-uri/search*) gio open "$(item "$1" x-success)?result-hits=%5B%22a+note.md%22%5D" ;;
        *actions-uri/note/append*) gio open "$(item "$1" x-success)?result-message=Appended" ;;
        esac
        """

    private func site() throws -> (RunningDaemon, DesktopSite, AssistantClient) {
        let text = try textOfPackageFile("config/examples/obsidian.yaml")
        // No user is available to ask.
        let question = #"confirm: { text: "Add {text} to the note of the day?", timeout: 1m, "#
        #expect(text.contains(question))
        let daemon = try RunningDaemon(text.replacing(question, with: #"confirm: { exec: ["true"], "#))
        let site = try DesktopSite(socket: daemon.socket)
        try site.install("obsidian", for: ["obsidian"], script: Self.application)
        try site.run("xcallback", "register", "xcallback")
        let client = try AssistantClient(of: daemon.socket, environment: site.variables)
        try client.initialize()
        return (daemon, site, client)
    }

    @Test func theExampleOfObsidianAnswers() throws {
        let (daemon, site, client) = try site()
        expect(
            try client.call("vault_search", ["query": "a & b"])["structuredContent"],
            equals: [
                "result-hits": "[\"a note.md\"]"
            ])
        expect(try site.nextReport()) {
            $0.hasPrefix("obsidian://actions-uri/search/all-notes?query=a%20%26%20b&x-source=")
        }
        let note = try client.call("vault_note", ["file": "a note"])
        #expect(note["structuredContent"] == ["result-filepath": "a note.md", "result-content": "# Title\nline 1"])
        expect(try site.nextReport()) {
            $0.hasPrefix("obsidian://actions-uri/note/get?file=a%20note&silent=true&x-source=")
        }
        let missing = try client.text(of: "vault_note", ["file": "gone"])
        #expect(missing == "error: Note couldn't be found (404)")
        _ = try site.nextReport()
        // The contents of a value are no parameters of the application.
        let added = try client.call("vault_daily_append", ["text": "x&silent=false&content=y#z"])
        #expect(added["structuredContent"] == ["result-message": "Appended"])
        expect(try site.nextReport()) { $0.contains("&content=x%26silent%3Dfalse%26content%3Dy%23z&x-source=") }
        withExtendedLifetime(daemon) {}
    }

    @Test func withoutTheApplicationTheToolSaysSo() throws {
        let daemon = try RunningDaemon(
            "schemes: [app]\nroutes: [{ route: app:/away, agent: true, redirect: \"other:/there\" }]")
        let client = try AssistantClient(
            of: daemon.socket, environment: ["PATH=/usr/bin:/bin", "XCALLBACK_OPENER=/bin/false"])
        try client.initialize()
        let result = try client.call("app_away")
        #expect(result["isError"] == .bool(true))
        #expect("\(result)".contains("could not be opened"), "\(result)")
    }

    @Test func applicationsThatTakeLongToOpenAreOpenedAtTheSameTime() throws {
        let daemon = try RunningDaemon(
            "schemes: [app]\nroutes: [{ route: app:/away, agent: true, redirect: \"other:/there\" }]")
        let site = try DesktopSite(socket: daemon.socket)
        // Each waits for the others, but not as long as an opener may take.
        let script = """
            >"$0.$$"
            for try in $(seq 40); do
              [ "$(ls "$0".* | wc -l)" -ge 4 ] && { report together; exit; }
              sleep 0.1
            done
            report alone
            """
        try site.install(program: "opener", script: script)
        let opener = "XCALLBACK_OPENER=\(site.directory.path(of: "bin/opener"))"
        let client = try AssistantClient(of: daemon.socket, environment: site.variables + [opener])
        try client.initialize()
        for _ in 0..<4 { _ = try client.request("tools/call", ["name": "app_away", "arguments": [:]]) }
        for _ in 0..<4 { expect(try site.nextReport(), equals: "together") }
    }
}
