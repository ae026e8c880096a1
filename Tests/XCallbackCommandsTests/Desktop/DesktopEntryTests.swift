import Testing
import XCallbackCommands
import XCallbackTesting

struct DesktopEntryTests {
    @Test func anEntryIsReadBackAsItWasWritten() {
        let entry = DesktopEntry(program: "/opt/x/xcallback", schemes: ["notes", "demo", "notes", "web+a.b-c"])
        #expect(entry.schemes == ["demo", "notes", "web+a.b-c"])
        #expect(DesktopEntry(entry.text) == entry)
        let other = DesktopEntry(program: "/bin/x", schemes: ["demo"], isOnBus: true)
        #expect(DesktopEntry(other.text) == other)
        #expect(DesktopEntry(DesktopEntry(program: "/bin/x", schemes: []).text)?.schemes == [])
    }

    @Test func anEntryOfSomebodyElseIsNotRead() {
        #expect(DesktopEntry("") == nil)
        #expect(DesktopEntry("[Desktop Entry]\nName=xcallback\nExec=xcallback handle -- %u\n") == nil)
    }

    @Test func theInstalledEntrySaysTheSameAsTheUsers() throws {
        let installed = try textOfPackageFile("config/\(DesktopEntry.name)")
        let lines = DesktopEntry(program: "xcallback", schemes: ["xcallback"], isOnBus: true).text.split(separator: "\n")
        #expect(installed == lines.filter { !$0.hasPrefix("#") }.map { "\($0)\n" }.joined())
    }

    static let programs: [(String, Bool)] = [
        ("/usr/bin/xcallback", true), ("/home/ada/.local/bin/xcallback-1.0_a+b,c:d@e", true),
        ("/home/ada/my programs/xcallback", false), ("/a\"b", false), ("/a%u", false), ("/a\nb", false), ("/é", false),
        ("/a$b", false), ("/a\\b", false), ("/a;b", false),
    ]

    @Test(arguments: programs)
    func aPathThatWouldHaveToBeQuotedCannotStandThere(program: String, isFit: Bool) {
        #expect(DesktopEntry.canHold(program: program) == isFit)
    }
}
