import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// What the front page shows beside its commands, which `PastedCommandTests` runs.
@Suite(.blocking)
struct FrontPageTests {
    private static let page = "README.md"

    /// Returns the block of the page that contains a text.
    private static func block(in language: String, with text: String) throws -> String {
        try #require(DocumentExample.all(in: language, of: page).first { $0.text.contains(text) }, "\(text)").text
    }

    /// The example `later` reads it.
    @Test func theBookmarkMakesALink() throws {
        let bookmark = try Self.block(in: "", with: "javascript:").replacing("\n", with: "")
        let link = bookmark.replacing("javascript:void(location.href='", with: "")
            .replacing("'+encodeURIComponent(location.href)+'", with: "https%3A%2F%2Fexample.org%2F%3Fa%26b")
            .replacing("'+encodeURIComponent(document.title))", with: "An%20example")
        #expect(link == "later:/add?url=https%3A%2F%2Fexample.org%2F%3Fa%26b&title=An%20example")
    }

    /// The picture shows the file of the page.
    @Test func theFileIsThatOfThePicture() throws {
        let picture = try textOfPackageFile("Docs/Images/doors-light.svg").replacing("&gt;", with: ">")
        let lines = try Self.block(in: "yaml", with: "inbox").split(separator: "\n")
        #expect(lines.count == 8)
        for line in lines {
            let indented = line.replacing(/^ +/) { String(repeating: "\u{A0}", count: $0.count) }
            #expect(picture.contains(">\(indented)<"), "\(line)")
        }
    }

    @Test func aLinkToTheFileOfThePictureAsksFirst() throws {
        let site = try SetupSite(session: ["WAYLAND_DISPLAY=display"])
        let display = try SocketServer(site.home.path(of: "run/display")) { _ in }
        try site.home.write(Self.block(in: "yaml", with: "inbox"), to: ".config/xcallbackd/config.yaml")
        // A yes counts once the question was visible long enough.
        try site.install("zenity", in: "bin", "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$HOME/asked\"\nexec sleep 3.2\n")
        try site.giveAway()
        try site.startDaemon()
        let link = "inbox:/add/Milk"
        expect(try textOfPackageFile(Self.page)) { $0.contains("`\(link)`") }
        expect(try site.run("xcallback", "handle", "--", link).status, equals: 0)
        expect(try site.home.text(of: "asked")) { $0.contains("Write down “Milk”?") }
        expect(try site.home.text(of: "inbox.txt"), equals: "Milk\n")
        withExtendedLifetime(display) {}
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
