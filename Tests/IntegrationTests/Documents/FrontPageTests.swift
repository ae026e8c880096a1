import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// What the front page shows beside its commands, which `PastedCommandTests` runs.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct FrontPageTests {
    private static let page = "README.md"

    /// Returns the block of the page that contains a text.
    private static func block(in language: String, with text: String) throws -> String {
        try #require(DocumentExample.all(in: language, of: page).first { $0.text.contains(text) }, "\(text)").text
    }

    /// The example `later` reads it.
    @Test func theBookmarkMakesALink() throws {
        let bookmark = try Self.block(in: "", with: "javascript:").replacing("\n", with: "")
        let link = bookmark.replacing("javascript:location.href='", with: "")
            .replacing("'+encodeURIComponent(location.href)+'", with: "https%3A%2F%2Fexample.org%2F%3Fa%26b")
            .replacing("'+encodeURIComponent(document.title)", with: "An%20example")
        #expect(link == "later:/add?url=https%3A%2F%2Fexample.org%2F%3Fa%26b&title=An%20example")
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
