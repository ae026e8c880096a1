import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// The commands of the front page, after the setups that it names.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct FrontPageTests {
    private static let page = "README.md"

    /// Runs a body in a home in which examples can be set up; programs of the desktop keep their arguments.
    private static func withSite(_ examples: String..., body: (SetupSite) throws -> Void) throws {
        let site = try SetupSite()
        for name in examples {
            let text = try textOfPackageFile("config/examples/\(name).yaml")
            try site.home.write(text, to: "prefix/share/xcallbackd/examples/\(name).yaml")
        }
        for name in ["xdg-open", "systemd-run", "notify-send", "firefox", "chromium"] {
            try site.install(name, in: "bin", "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$HOME/\(name).arguments\"\n")
        }
        try site.installServiceManager()
        defer { _ = try? site.run("systemctl", "--user", "disable", "--now", "xcallbackd.socket") }
        try body(site)
    }

    /// Returns the block of the page that contains a text.
    private static func block(in language: String, with text: String) throws -> String {
        try #require(DocumentExample.all(in: language, of: page).first { $0.text.contains(text) }, "\(text)").text
    }

    /// Runs a script in which nobody answers the questions of a setup.
    private static func run(_ script: String, in site: SetupSite) throws -> DesktopSite.Result {
        try site.run("sh", "-ec", script.replacing(/xcallback setup \w+/) { "\($0.output) --yes --no-try" })
    }

    @Test func theFirstCommandsPrintWhatIsShown() throws {
        try Self.withSite("demo") { site in
            let setup = try Self.run(Self.block(in: "sh", with: "setup demo"), in: site)
            #expect(setup.status == 0, "\(setup.output)")
            let session = try #require(DocumentExample.all(in: "console", of: Self.page).first)
            #expect(session.steps.count == 2)
            for step in session.steps {
                expect(try site.run("sh", "-c", step.command).output, equals: step.output, "\(step.command)")
            }
            expect(try site.run("xcallback", "remove", "demo").status, equals: 0)
        }
    }

    @Test func aBookmarkKeepsAPageAndTheOldestOneOpens() throws {
        try Self.withSite("later") { site in
            expect(try Self.run("xcallback setup later", in: site).status, equals: 0)
            let bookmark = try Self.block(in: "", with: "javascript:").replacing("\n", with: "")
            let link = bookmark.replacing("javascript:location.href='", with: "")
                .replacing("'+encodeURIComponent(location.href)+'", with: "https%3A%2F%2Fexample.org%2F%3Fa%26b")
                .replacing("'+encodeURIComponent(document.title)", with: "An%20example")
            #expect(link == "later:/add?url=https%3A%2F%2Fexample.org%2F%3Fa%26b&title=An%20example")
            let kept = try site.run("xcallback", "open", link)
            #expect(kept.status == 0, "\(kept.output)")
            expect(try textOfPackageFile(Self.page)) { $0.contains("`xcallback open later:/next`") }
            // The browser is started apart: reading its arguments from a pipe waits for it.
            let pipe = site.home.path(of: "xdg-open.arguments")
            #expect(mkfifo(pipe, 0o600) == 0 && chmod(pipe, 0o666) == 0)
            expect(try site.run("xcallback", "open", "later:/next").output, equals: "title=An example\n")
            expect(try site.home.text(of: "xdg-open.arguments"), equals: "https://example.org/?a&b\n")
        }
    }

    @Test func aTimerIsStarted() throws {
        try Self.withSite("timer") { site in
            let result = try Self.run(Self.block(in: "sh", with: "setup timer"), in: site)
            #expect(result.status == 0, "\(result.output)")
            let arguments = try site.home.text(of: "systemd-run.arguments")
            #expect(arguments.contains("xcallback-timer-tea\n--on-active=5m\n"), "\(arguments)")
        }
    }

    @Test func aLinkPassesItsResultOn() throws {
        let daemon = try RunningDaemon(try Self.block(in: "yaml", with: "callbacks:"))
        let (link, answer) = ("notes:/hello/Ada?x-success=app:/done", "app:/done?greeting=Hello%20Ada")
        let page = try textOfPackageFile(Self.page)
        #expect(page.contains("`\(link)`") && page.contains("`\(answer)`"))
        let reply = try RouterClient(daemon.socket).call("Open", ["url": .string(link), "origin": "desktop"])
        #expect(reply["answer"]?.text == answer, "\(reply)")
    }

    @Test func theNoteOfObsidianComesBack() throws {
        let daemon = try RunningDaemon("schemes: [own]\nroutes: [{ route: own:/a, respond: }]")
        let script = try Self.block(in: "sh", with: "obsidian:")
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(
            "obsidian", for: ["obsidian"],
            script: #"gio open "$(item "$1" x-success)?result-content=Milk%20%26%20eggs""#)
        let result = try site.run("sh", "-ec", script)
        #expect(result.status == 0 && result.output.hasSuffix("\nMilk & eggs\n"), "\(result.output)")
        expect(try daemon.stop(), equals: 0)
    }
}
