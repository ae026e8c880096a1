import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// `xcallback edit`, with editors that scripts stand in for.
@Suite(.blocking)
struct EditTests {
    private static let dropIn = ".config/xcallbackd/routes.d/notes-add/notes-add.yaml"

    /// A home with an action of `init`, and the user's daemon.
    private final class Place {
        let site: SetupSite
        var file: String { site.home.path(of: EditTests.dropIn) }

        init() throws {
            site = try SetupSite()
            expect(try site.run("xcallback", "init", "notes:/add", "--title", "Add").status, equals: 0)
            try site.startDaemon()
        }

        func edit(_ name: String, with editor: String) throws -> DesktopSite.Result {
            try site.run("xcallback", "edit", name, environment: ["VISUAL=\(editor)", "EDITOR=false"])
        }
    }

    @Test func theEditorOpensTheLineAndTheDaemonReloads() throws {
        let place = try Place()
        let script = "#!/bin/sh\necho \"$@\" >\"$HOME/args\"\nsed -i 's/title: .*/title: New/' \"$2\"\n"
        try place.site.install("vi", in: "bin", script)
        let result = try place.edit("notes:/add", with: "vi")
        #expect(result.status == 0, "\(result.output)")
        expect(result.output) { $0.hasPrefix("1 route: 0 added, 0 removed, 1 changed\n~ notes:/add\n") }
        expect(try place.site.home.text(of: "args"), equals: "+5 \(place.file)\n")
        expect(try place.site.run("xcallback", "routes", "notes:/add").output) { $0.contains("\n  New\n") }
        // An editor that the command does not know gets the file alone.
        try place.site.install("strange", in: "bin", "#!/bin/sh\necho \"$@\" >\"$HOME/args\"\n")
        let unchanged = try place.edit("notes-add", with: "strange --wait")
        #expect(unchanged.status == 0 && unchanged.output == "\(place.file) is unchanged.\n", "\(unchanged.output)")
        expect(try place.site.home.text(of: "args"), equals: "--wait \(place.file)\n")
    }

    @Test func aFileIsOneWordForTheShell() throws {
        let place = try Place()
        let name = "it's $(touch ran) ~"
        let file = place.file.replacing("notes-add/notes-add", with: name)
        expect(try place.site.run("cp", place.file, file).status, equals: 0)
        try place.site.install("strange", in: "bin", "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$HOME/args\"\n")
        expect(try place.edit(name, with: "strange").status, equals: 0)
        expect(try place.site.home.text(of: "args"), equals: "\(file)\n")
    }

    @Test func afterAFaultTheDaemonKeepsWhatItHas() throws {
        let place = try Place()
        let faulty = try place.edit("notes:/add", with: "sed -i s/title/titel/")
        #expect(faulty.status == 78)
        #expect(faulty.output.contains("\(place.file):6:5: unknown key 'titel'"), "\(faulty.output)")
        let advice = "the daemon keeps its previous configuration: run 'xcallback edit notes:/add' again\n"
        #expect(faulty.output.hasSuffix(advice), "\(faulty.output)")
        expect(try place.site.run("xcallback", "open", "notes:/add").status, equals: 0)
        let fixed = try place.edit("notes:/add", with: "sed -i s/titel/title/")
        #expect(fixed.status == 0 && fixed.output == "1 route: as before\n", "\(fixed.output)")
    }

    static let refusals: [(name: String, editor: String, status: Int32, text: String)] = [
        ("notes:/add", "false", 1, "the editor 'false' failed; nothing was reloaded\nset VISUAL or EDITOR to yours\n"),
        ("notes:/ad", "true", 6, "no route is called 'notes:/ad'; did you mean 'notes:/add'?\n"),
        ("notes-ad", "true", 6, "'notes-ad' is neither a route nor a drop-in; did you mean 'notes-add'?\n"),
    ]

    @Test(arguments: refusals)
    func whatCannotBeEditedIsReported(name: String, editor: String, status: Int32, text: String) throws {
        let result = try Place().edit(name, with: editor)
        #expect(result.status == status && result.output.contains(text), "\(result.output)")
    }

    /// `vi` runs what follows `+!`.
    @Test func aFileThatADaemonNamesIsNoCommand() throws {
        let site = try SetupSite()
        let routes = #"{"route":"notes:/add","scheme":"notes","pattern":"/add","place":"+!touch ran:1"}"#
        let daemon = try FakeDaemon(site.home.path(of: "socket")) { _, _ in [#"{"parameters":{"routes":[\#(routes)]}}"#]
        }
        // The command runs as another user.
        chmod(site.home.path(of: "socket"), 0o666)
        let result = try withExtendedLifetime(daemon) {
            try site.run(
                "xcallback", "edit", "--socket", site.home.path(of: "socket"), "notes:/add",
                environment: ["EDITOR=touch", "VISUAL="])
        }
        #expect(
            result.status == 5 && result.output.contains("'+!touch ran', which is used only if"), "\(result.output)")
    }

    @Test func withoutADaemonTheFileIsChecked() throws {
        let site = try SetupSite()
        expect(try site.run("xcallback", "init", "notes:/add").status, equals: 0)
        let editors = ["sed -i s/title/titel/", "sed -i s/titel/title/", "sed -i s/Add/New/"]
        let names = ["notes:/add", "notes-add", "notes:/add"]
        let results = try zip(names, editors).map { name, editor in
            try site.run("xcallback", "edit", name, environment: ["EDITOR=\(editor)", "VISUAL="])
        }
        #expect(results.map(\.status) == [78, 7, 7], "\(results.map(\.output))")
        #expect(results[2].output.contains("start it: run 'xcallbackd'"), "\(results[2].output)")
        expect(try site.home.text(of: Self.dropIn)) { $0.contains("title: \"New\"") }
    }
}
