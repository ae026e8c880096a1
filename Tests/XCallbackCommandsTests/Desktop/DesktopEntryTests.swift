import Testing
import XCallbackCommands
import XCallbackTesting

struct DesktopEntryTests {
    @Test func anEntryIsReadBackAsItWasWritten() {
        let entry = DesktopEntry(program: "/opt/x/xcallback", schemes: ["notes", "demo", "notes", "web+a.b-c"])
        #expect(entry.schemes == ["demo", "notes", "web+a.b-c"])
        #expect(DesktopEntry(entry.text) == entry)
        #expect(DesktopEntry(DesktopEntry(program: "/bin/x", schemes: []).text)?.schemes == [])
    }

    @Test func theApplicationsThatKeepTheirSchemesAreReadBack() {
        var entry = DesktopEntry(program: "/bin/x", schemes: ["demo", "org", "web+a"])
        entry.keptDefaults = ["demo": "other.desktop", "web+a": "org.A_b-c.desktop"]
        #expect(entry.text.contains("\nX-XCallback-Kept=demo:other.desktop;web+a:org.A_b-c.desktop;\n"))
        #expect(DesktopEntry(entry.text) == entry)
        #expect(DesktopEntry.canKeep("org.gnome.Maps-1.desktop") && !DesktopEntry.canKeep("a;b.desktop"))
    }

    @Test func theEntryOfABrowserIsReadBack() {
        var entry = DesktopEntry(program: "/bin/x", schemes: ["https", "notes"])
        entry.browser = "firefox.desktop"
        #expect(DesktopEntry(entry.text) == entry)
        #expect(
            entry.text.contains(
                "\nExec=/bin/x handle --browser firefox.desktop -- %u\nCategories=Network;WebBrowser;\n"))
        #expect(
            entry.text.contains(
                "\nMimeType=x-scheme-handler/https;x-scheme-handler/notes;text/html;application/xhtml+xml;\n"))
    }

    @Test func anEntryOfSomebodyElseIsNotRead() {
        #expect(DesktopEntry("") == nil)
        #expect(DesktopEntry("[Desktop Entry]\nName=xcallback\nExec=xcallback handle -- %u\n") == nil)
    }

    @Test func theInstalledEntrySaysTheSameAsTheUsers() throws {
        let installed = try textOfPackageFile("config/\(DesktopEntry.name)")
        let entry = DesktopEntry(program: "xcallback", schemes: ["xcallback"])
        let lines = entry.text.split(separator: "\n")
        #expect(installed == lines.filter { !$0.hasPrefix("#") }.map { "\($0)\n" }.joined())
    }

    static let programs: [(String, String?)] = [
        ("/usr/bin/x-1.0_a+b,c:d@e", "/usr/bin/x-1.0_a+b,c:d@e"), ("/home/Zoë/x", "/home/Zoë/x"),
        ("/home/山田/x", "/home/山田/x"), ("/home/my home/x", "\"/home/my home/x\""), ("/a\"b", nil), ("/a%u", nil),
        ("/a\nb", nil), ("/a\u{202E}b", nil), ("/a$b", nil), ("/a\\b", nil), ("/a;b", nil),
    ]

    @Test(arguments: programs)
    func aPathIsHeldIfDesktopsReadIt(program: String, word: String?) {
        #expect(DesktopEntry.word(for: program) == word)
        if word == nil { return }
        let entry = DesktopEntry(program: program, schemes: ["a"])
        #expect(DesktopEntry(entry.text) == entry)
    }
}
