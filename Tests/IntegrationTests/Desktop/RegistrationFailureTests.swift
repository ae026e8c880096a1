import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// `xcallback register` where it cannot do all that it is asked for.
@Suite(.blocking)
struct RegistrationFailureTests {
    @Test func aListOfTheDesktopDecides() throws {
        let site = try DesktopSite(session: ["DISPLAY=:99", "XDG_CURRENT_DESKTOP=sway"])
        try site.install("other", for: ["demo"], script: "")
        let choice = "[Default Applications]\nx-scheme-handler/demo=other.desktop\n"
        let list = try site.directory.write(choice, to: ".config/sway-mimeapps.list")
        let result = try site.run("xcallback", "register", "demo", "--default")
        #expect(result.status == 1)
        let reason = "demo: other.desktop has it, because \(list) says so; delete the line "
        #expect(result.output.hasPrefix("\(reason)'x-scheme-handler/demo=other.desktop' there\n"), "\(result.output)")
        expect(try site.directory.text(of: ".config/sway-mimeapps.list"), equals: choice)
        unlink(list)
        expect(try site.run("xcallback", "register", "demo", "--default").output) {
            $0.hasPrefix("demo: xcallback has it\n")
        }
    }

    /// As on a full disk.
    @Test func aFileThatCannotBeWrittenLeavesNothing() throws {
        let site = try DesktopSite()
        let folder = ".local/share/applications"
        expect(try site.run("xcallback", "register", "demo").status, equals: 0)
        let before = try site.directory.names(in: folder).sorted()
        let result = try site.run("sh", "-c", "(ulimit -f 0; exec xcallback register more) 2>&1 | cat")
        #expect(result.output.contains(": File too large\nnothing was changed\n"), "\(result.output)")
        expect(try site.directory.names(in: folder).sorted(), equals: before)
    }

    static let folders = [".config", ".local/share/applications"]

    /// Either the entry and the choices are written, or neither.
    @Test(arguments: folders)
    func nothingIsWrittenHalf(folder: String) throws {
        let site = try SetupSite()
        try site.site.install("other", for: ["demo"], script: "")
        try site.home.write(
            "[Default Applications]\nx-scheme-handler/demo=other.desktop\n", to: ".config/mimeapps.list")
        try site.giveAway()
        let path = site.home.path(of: folder)
        for command in [["register", "demo", "more", "--default"], ["unregister"]] {
            let before = try site.contents()
            let mode = try site.home.mode(of: folder)
            chmod(path, 0o555)
            let result = try site.run(["xcallback"] + command)
            chmod(path, mode)
            #expect(result.status == 1 && result.output.hasSuffix("\nnothing was changed\n"), "\(result.output)")
            #expect(result.output.contains("Permission denied"), "\(result.output)")
            expect(try site.contents(), equals: before)
            expect(try site.run("xcallback", "register", "demo", "--default").status, equals: 0)
        }
    }
}
