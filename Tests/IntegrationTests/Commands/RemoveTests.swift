import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// `xcallback remove` takes back what `init` and `setup` have made.
@Suite(.blocking)
struct RemoveTests {
    private static let programs = ".config/xcallbackd/routes.d"

    private static func site(_ actions: String...) throws -> SetupSite {
        let site = try SetupSite()
        for action in actions { expect(try site.run("xcallback", "init", action).status, equals: 0) }
        return site
    }

    @Test func whatInitHasMadeIsRemoved() throws {
        let site = try SetupSite()
        let empty = try site.contents()
        expect(try site.run("xcallback", "init", "notes:/add").status, equals: 0)
        let daemon = try site.startDaemon()
        let before = try site.contents()
        expect(try site.run("xcallback", "init", "notes:/list").status, equals: 0)
        expect(try site.run("xcallback", "open", "notes:/list").status, equals: 0)
        let removed = try site.run("xcallback", "remove", "notes:/list")
        #expect(removed.status == 0, "\(removed.output)")
        #expect(removed.output.contains("reloaded      the daemon at "), "\(removed.output)")
        #expect(removed.output.hasSuffix("\nnotes-list is removed.\n"), "\(removed.output)")
        // The history is the user's.
        expect(try site.run("xcallback", "history", "--clear").status, equals: 0)
        expect(try site.contents(), equals: before)
        expect(try site.run("xcallback", "open", "notes:/list").status, equals: 6)
        let last = try site.run("xcallback", "remove", "notes:/add")
        #expect(last.status == 0 && last.output.contains("stop it with 'kill \(daemon.id)'\n"), "\(last.output)")
        // What the daemon remembers is its own.
        removeDirectory(site.home.path(of: ".local/state"))
        expect(try site.contents(), equals: empty)
    }

    @Test func aSchemeThatOtherActionsServeStaysRegistered() throws {
        let site = try SetupSite()
        expect(try site.setup("notes", "--yes").status, equals: 0)
        // What the session starts has no use without a configuration.
        expect(try site.run("xcallback", "register", "xcallback").status, equals: 0)
        expect(try site.run("xcallback", "init", "notes:/add").status, equals: 0)
        let first = try site.run("xcallback", "remove", "notes")
        #expect(first.status == 0 && !first.output.contains("unregistered"), "\(first.output)")
        let last = try site.run("xcallback", "remove", "notes:/add")
        #expect(last.status == 0 && last.output.contains("unregistered  notes\n"), "\(last.output)")
        #expect(
            !site.home.contains(".config/xcallbackd") && !site.home.contains(".config/autostart/xcallbackd.desktop"))
    }

    @Test func whatTheUserHasChangedIsKeptAndNamed() throws {
        let site = try Self.site("notes:/add")
        let program = site.home.path(of: "\(Self.programs)/notes-add/notes-add")
        try site.run("sh", "-c", "echo '# mine' >>\(program)")
        let result = try site.run("xcallback", "remove", "notes-add")
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("kept          \(program): you have changed it\n"), "\(result.output)")
        let end =
            "notes-add is removed, except for the files that you have changed.\nTo remove them, too: rm \(program)"
        #expect(result.output.contains(end), "\(result.output)")
        expect(try site.home.text(of: "\(Self.programs)/notes-add/notes-add")) { $0.hasSuffix("# mine\n") }
        #expect(!site.home.contains(".config/xcallbackd/config.yaml"))
        #expect(!site.home.contains(".local/state/xcallbackd"))
    }

    @Test func whatIsKeptIsOneWordForTheShell() throws {
        let site = try SetupSite()
        let data = ["XDG_CONFIG_HOME=\(site.home.path)/my data"]
        expect(try site.run("xcallback", "init", "notes:/add", environment: data).status, equals: 0)
        let program = site.home.path(of: "my data/xcallbackd/routes.d/notes-add/notes-add")
        try site.run("sh", "-c", "echo '# mine' >>'\(program)'")
        let result = try site.run("xcallback", "remove", "notes-add", environment: data)
        #expect(result.output.contains("To remove them, too: rm '\(program)'"), "\(result.output)")
    }

    @Test func changedRoutesStillAnswer() throws {
        let site = try Self.site("notes:/add")
        _ = try site.startDaemon()
        let dropIn = site.home.path(of: ".config/xcallbackd/routes.d/notes-add/notes-add.yaml")
        try site.run("sh", "-c", "echo '# mine' >>\(dropIn)")
        let result = try site.run("xcallback", "remove", "notes:/add")
        #expect(result.status == 0)
        let program = site.home.path(of: "\(Self.programs)/notes-add/notes-add")
        let advice = "rm \(dropIn) \(program) && xcallback remove notes-add"
        #expect(result.output.hasSuffix("they are your own now.\nTo remove them: \(advice)\n"), "\(result.output)")
        expect(try site.run("xcallback", "open", "notes:/add").status, equals: 0)
        let last = try site.run("sh", "-ec", advice)
        #expect(last.status == 0 && last.output.contains("notes-add is removed.\n"), "\(last.output)")
        #expect(!site.home.contains(".config/xcallbackd") && !site.home.contains(".local/state/xcallbackd/setup.json"))
    }

    @Test func aFaultElsewhereDoesNotStopARemoval() throws {
        let site = try Self.site("notes:/add", "tea:/brew")
        expect(try site.setup("notes", "--yes", "--no-try").status, equals: 0)
        _ = try site.startDaemon()
        let faulty = site.home.path(of: ".config/xcallbackd/routes.d/tea-brew/tea-brew.yaml")
        try site.run("sh", "-c", "echo 'wrong: true' >>\(faulty)")
        // Its scheme is that of another action, and stays.
        let notes = try site.run("xcallback", "remove", "notes")
        #expect(notes.status == 0 && !notes.output.contains("unregistered"), "\(notes.output)")
        let result = try site.run("xcallback", "remove", "notes:/add")
        #expect(result.status == 0 && result.output.contains("unregistered  notes\n"), "\(result.output)")
        #expect(
            result.output.contains("until 'xcallback check' finds no fault\nnotes-add is removed.\n"),
            "\(result.output)")
        try site.run("rm", faulty)
        expect(try site.run("xcallback", "init", "notes:/add").status, equals: 0)
    }

    @Test func whatWasNotMadeIsNotRemoved() throws {
        let site = try SetupSite()
        expect(try site.setup("notes", "--yes").status, equals: 0)
        let before = try site.contents()
        let part = try site.run("xcallback", "remove", "notes:/new")
        let all = "notes:/new was not made by 'xcallback setup' or 'xcallback init': they have made notes\n"
        #expect(part.status == 1 && part.output.contains(all), "\(part.output)")
        let other = try site.run("xcallback", "remove", "todo")
        let known = "todo was not made by 'xcallback setup' or 'xcallback init': they have made notes\n"
        #expect(other.status == 1 && other.output.contains(known), "\(other.output)")
        expect(try site.contents(), equals: before)
        expect(try site.run("xcallback", "remove", "notes").output) { $0.hasSuffix("\nnotes is removed.\n") }
    }

    @Test func aNeedIsReportedBeforeAnythingIsWritten() throws {
        let site = try SetupSite()
        let folder = "prefix/share/xcallbackd/examples"
        let text = "# Pictures.\n#\n# setup: needs NEED\n\nschemes: [shot]\nroutes: [{ route: shot:/a, respond: {} }]\n"
        let cases = [
            ("no-such-program the-package", "no-such-program: ", "the-package\nnothing was changed\n"),
            ("no-such-app: https://example.org/", "an application that opens no-such-app URLs: ", "example.org/\n"),
        ]
        for (need, start, end) in cases {
            try site.home.write(text.replacing("NEED", with: need), to: "\(folder)/shot.yaml")
            let before = try site.contents()
            let result = try site.setup("shot", "--yes")
            #expect(result.status == 1 && result.output.contains("shot needs \(start)"), "\(result.output)")
            #expect(result.output.contains(end), "\(result.output)")
            expect(try site.contents(), equals: before)
        }
        try site.home.write(text.replacing("NEED", with: "sh dash"), to: "\(folder)/shot.yaml")
        expect(try site.setup("shot", "--yes").status, equals: 0)
    }
}
