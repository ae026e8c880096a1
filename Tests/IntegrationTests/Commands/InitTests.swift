import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// From nothing to a user's first action: a newcomer's commands.
@Suite(.blocking)
struct InitTests {
    /// A value that a shell, a URL and YAML would each misread.
    private static let value = "two  words 'and' \"quotes\" & 50 % of $HOME \u{1F600}\nnext line\\"

    @Test(arguments: [false, true])
    func editorsFindTheSchemaOutsideOfTheHome(isBelowHome: Bool) throws {
        let site = try SetupSite()
        let prefix = try TemporaryDirectory()
        chmod(prefix.path, 0o755)
        let schema = try prefix.write("{}", to: "share/xcallbackd/xcallbackd.schema.json")
        try prefix.write("", to: "bin/.keep")
        let command = prefix.path(of: "bin/xcallback")
        try ChildProcess.run(["/bin/cp", RunningDaemon.program("xcallback"), command])
        chmod(command, 0o755)
        // A home can be a link.
        symlink(site.home.path, prefix.path(of: "home"))
        try site.home.write("{}", to: "prefix/share/xcallbackd/xcallbackd.schema.json")
        let made = try site.run(
            [isBelowHome ? "xcallback" : command, "init", "notes:/add"],
            environment: ["HOME=\(prefix.path(of: "home"))"])
        #expect(made.status == 0, "\(made.output)")
        let text = try site.home.text(of: ".config/xcallbackd/routes.d/notes-add/notes-add.yaml")
        let path = isBelowHome ? "" : "\(schema)\nschemes:"
        #expect(text.contains("\n# yaml-language-server: $schema=\(path)") != isBelowHome, "\(text)")
    }

    @Test(arguments: ["sh", "python"])
    func anActionOfOnesOwn(language: String) throws {
        let site = try SetupSite()
        let made = try site.run(
            "xcallback", "init", "my-notes:/add", "--title", "Add: a \"note\"", "--param", "text", "--param",
            "count:int", "--language", language)
        #expect(made.status == 0, "\(made.output)")
        let example = "xcallback open my-notes:/add --param text=Hello --param count=1"
        #expect(made.output.contains("  \(example)"), "\(made.output)")
        #expect(made.output.contains("  xcallbackd &"))
        let file = site.home.path(of: ".config/xcallbackd/routes.d/my-notes-add/my-notes-add.yaml")
        expect(try site.run("xcallback", "check").output, equals: "valid: 1 route for my-notes in 2 files\n")
        try site.startDaemon()
        let answer = try site.run("sh", "-c", example).output
        #expect(answer == "result=Add: a \"note\":\n    text is Hello\n    count is 1\n")
        try site.home.write(Self.value, to: "value")
        let value = try site.run(
            "sh", "-c",
            "xcallback open my-notes:/add --param count=-7 --stdin text --value result <\"$HOME/value\"")
        #expect(value.output == "Add: a \"note\":\ntext is \(Self.value)\ncount is -7\n")
        let page = try site.run("xcallback", "routes", "my-notes:/add").output
        #expect(
            page.hasPrefix("my-notes:/add\n  Add: a \"note\"\n") && page.contains("  count  int     required"),
            "\(page)")
        // It overwrites nothing, including its own files.
        let before = try site.home.text(of: ".config/xcallbackd/routes.d/my-notes-add/my-notes-add.yaml")
        let again = try site.run("xcallback", "init", "my-notes:/add")
        #expect(again.status == 1 && again.output.contains("already exists; nothing was written"), "\(again.output)")
        expect(try site.home.text(of: ".config/xcallbackd/routes.d/my-notes-add/my-notes-add.yaml"), equals: before)
        // The next action is served immediately.
        let second = try site.run("xcallback", "init", "my-notes:/list", "--title", "List")
        #expect(second.status == 0 && second.output.contains("reloaded      the daemon at "), "\(second.output)")
        expect(try site.run("xcallback", "open", "my-notes:/list").output, equals: "result=List:\n")
        #expect(access(file, F_OK) == 0)
    }

    /// Links that other programs define reach the program as they are.
    @Test(arguments: [
        (url: "mpv:", syntax: "text", link: "mpv://https://v.example/watch?v=1&t=2#x"),
        (url: "ssh:", syntax: "url", link: "ssh://ann@host.example:22"),
        (url: "irc://:host", syntax: "url", link: "irc://host.example:6697/#channel"),
        (url: "https://github.com/acme{/*path}", syntax: nil, link: "https://github.com/acme/app?page=2#part"),
    ])
    func linksOfOthers(url: String, syntax: String?, link: String) throws {
        let site = try SetupSite()
        let made = try site.run(["xcallback", "init", url] + (syntax.map { ["--syntax", $0] } ?? []))
        #expect(made.status == 0, "\(made.output)")
        try site.startDaemon()
        let answer = try site.run("xcallback", "open", link).output
        #expect(answer.hasSuffix(" links:\n    link is \(link)\n"), "\(answer)")
        // What it prints next is run as it is.
        for line in made.output.split(separator: "\n") where line.contains("# runs") || line.contains("# removes") {
            let next = try site.run("sh", "-c", String(line))
            #expect(next.status == 0, "\(line): \(next.output)")
        }
        expect(try site.run("xcallback", "open", link).status, equals: 1)
    }

    @Test(arguments: [
        ["mpv:", "--syntax", "text", "--param", "a"], ["mpv:", "--syntax", "other"],
        ["mpv:*li nk", "--syntax", "text"],
        ["mpv:{*", "--syntax", "text"], ["http:", "--syntax", "text"], ["mpv:*link"], ["data:", "--syntax", "text"],
    ])
    func whatIsNoPatternLeavesNothing(words: [String]) throws {
        let site = try SetupSite()
        let before = try site.contents()
        let made = try site.run(["xcallback", "init"] + words)
        #expect([1, 64, 78].contains(made.status), "\(made.output)")
        expect(try site.contents(), equals: before, made.output)
    }

    private static let hasSharedConfiguration = ["/etc", "/usr/lib"].contains {
        access("\($0)/xcallbackd/user/config.yaml", F_OK) == 0
    }

    /// A daemon without a configuration exits immediately, so a newcomer is not advised to start one.
    @Test(.enabled(if: !hasSharedConfiguration, "needs a system without a configuration"), arguments: [false, true])
    func withoutAConfigurationItIsReportedWhatMakesOne(isManaged: Bool) throws {
        let place = try ManagedSite(configuration: nil)
        if isManaged {
            try place.site.home.write("", to: ".config/systemd/user/xcallbackd.socket")
            try place.setUnits(service: "inactive", socket: "inactive")
        } else {
            // Whether the machine of the test has the daemon's units does not matter then.
            unlink(place.site.home.path(of: "run/systemd/private"))
        }
        let first = try place.site.run("xcallback", "open", "notes:/add")
        #expect(first.status == 7)
        let advice = "\nnothing is set up yet: try 'xcallback setup notes'\n"
        #expect(first.output.contains(advice), "\(first.output)")
        let doctor = try place.site.run("xcallback", "doctor").output
        for useless in ["run: xcallbackd", "install -D", "register --all"] {
            #expect(!doctor.contains(useless), "\(doctor)")
        }
        #expect(doctor.contains("\n      run: xcallback setup notes\n"), "\(doctor)")
        try place.site.home.write(ManagedSite.configuration, to: ".config/xcallbackd/config.yaml")
        try place.site.giveAway()
        let second = try place.site.run("xcallback", "open", "notes:/add")
        let command = isManaged ? "systemctl --user start xcallbackd.socket" : "xcallbackd"
        #expect(second.output.contains("\nstart it: run '\(command)'"), "\(second.output)")
    }

    @Test func aMaskedUnitIsNotUnknown() throws {
        let place = try ManagedSite(configuration: nil)
        try place.setUnits(service: "masked", socket: "masked")
        let made = try place.site.run("xcallback", "init", "notes:/add")
        #expect(made.status == 0, "\(made.output)")
        #expect(
            made.output.contains("not started   the daemon: xcallbackd.socket is masked in your service manager\n"),
            "\(made.output)")
        #expect(made.output.contains("\n  xcallbackd & "), "\(made.output)")
    }

    /// Actions whose URLs differ only in punctuation would have the same files.
    @Test func noActionTakesTheNameOfAnother() throws {
        let site = try SetupSite()
        expect(try site.run("xcallback", "init", "n:/a-b").status, equals: 0)
        let settings = try site.home.text(of: ".config/xcallbackd/config.yaml")
        #expect(settings.hasPrefix("# Written by xcallback with your first action; "), "\(settings)")
        let before = try site.contents()
        let again = try site.run("xcallback", "init", "n:/a/b")
        #expect(again.status == 1 && again.output.contains("/n-a-b.yaml' already exists"), "\(again.output)")
        expect(try site.contents(), equals: before)
        let removed = try site.run("xcallback", "remove", "n:/a/b")
        #expect(removed.status == 1 && removed.output.contains("n:/a/b was not made by"), "\(removed.output)")
        expect(try site.contents(), equals: before)
        expect(try site.run("xcallback", "remove", "n:/a-b").status, equals: 0)
        #expect(try site.contents() != before)
    }

    /// The URL that was given to 'init' is a name for 'remove', also for links of others.
    @Test(arguments: ["notes:/add", "mpv:", "mpv:play/*rest", "https://example.org{/*path}"])
    func theURLRemovesTheAction(url: String) throws {
        let site = try SetupSite()
        let syntax = url.hasPrefix("mpv") ? ["--syntax", "text"] : []
        let made = try site.run(["xcallback", "init", url] + syntax)
        #expect(made.status == 0, "\(made.output)")
        let removed = try site.run("xcallback", "remove", url)
        #expect(removed.status == 0 && removed.output.contains(" is removed."), "\(removed.output)")
    }

    /// Of two drop-ins with a name, one masks the other.
    @Test(arguments: [
        (words: ["init", "todo:/add"], file: "todo-add.yaml"), (["setup", "--yes", "events"], "events/events.yaml"),
    ])
    func noActionMasksAnother(words: [String], file: String) throws {
        let site = try SetupSite()
        let path = ".config/xcallbackd/routes.d/\(file)"
        try site.home.write("schemes: [own]\nroutes: [{ route: own:/a, respond: }]\n", to: path)
        try site.home.write(SetupSite.notes, to: "prefix/share/xcallbackd/examples/events.yaml")
        try site.giveAway()
        let before = try site.contents()
        let result = try site.run(["xcallback"] + words)
        let text = "'\(site.home.path(of: path))' already exists; nothing was written\n"
        #expect(result.status == 1 && result.output.contains(text), "\(result.output)")
        expect(try site.contents(), equals: before)
    }

    /// Its entry in the record has what 'remove' still must take back.
    @Test func anActionWhoseFilesAreGoneIsRemovedFirst() throws {
        let site = try SetupSite()
        expect(try site.run("xcallback", "init", "n:/a").status, equals: 0)
        removeDirectory(site.home.path(of: ".config/xcallbackd/routes.d/n-a"))
        let again = try site.run("xcallback", "init", "n:/a")
        #expect(again.status == 1 && again.output.contains("run 'xcallback remove n-a' first\n"), "\(again.output)")
        expect(try site.run("sh", "-c", "xcallback remove n-a && xcallback init n:/a").status, equals: 0)
    }

    @Test func foldersAreTheUsersWhateverTheMask() throws {
        let site = try SetupSite()
        let made = try site.run("sh", "-c", "umask 0777; xcallback init notes:/add")
        #expect(made.status == 0, "\(made.output)")
        expect(try site.run("xcallback", "check").output, equals: "valid: 1 route for notes in 2 files\n")
    }

    @Test func filesArePrivateIfTheMaskSaysSo() throws {
        let site = try SetupSite()
        expect(try site.run("sh", "-c", "umask 077; xcallback init notes:/add").status, equals: 0)
        let open = try site.run("sh", "-c", "find $HOME/.config $HOME/.local -type f -perm /077")
        #expect(open.output == "", "\(open.output)")
    }

    @Test func withoutAFolderForItsSocketTheDaemonGetsOne() throws {
        let site = try SetupSite()
        let made = try site.run("sh", "-c", "XDG_RUNTIME_DIR=/nonexistent xcallback init notes:/add")
        let commands = made.output.split(separator: "\n").filter { $0.contains("# starts the daemon") }
            .map { $0.prefix { $0 != "#" } }
        #expect(commands.count == 2, "\(made.output)")
        let programs = try RunningDaemon.program("xcallbackd").dropLast("/xcallbackd".count)
        let script = """
            unset XDG_RUNTIME_DIR; PATH=$PATH:\(programs)
            \(commands.joined(separator: "\n"))
            until xcallback status >/dev/null 2>&1; do kill -0 $! || exit; sleep 0.05; done; kill $!
            """
        let started = try site.run("sh", "-c", script)
        #expect(started.status == 0, "\(started.output)")
    }

    @Test func theEditorThatIsInstalledIsSuggested() throws {
        let site = try SetupSite()
        try site.install("vi", in: "only", "#!/bin/sh\n")
        let command = try RunningDaemon.program("xcallback")
        let made = try site.run("sh", "-c", "PATH=$HOME/only EDITOR= VISUAL= exec \(command) init notes:/add")
        #expect(made.output.contains("\n  vi \(site.home.path)/"), "\(made.output)")
    }

    @Test func aHomeThatIsNoPlaceIsRefused() throws {
        let site = try SetupSite()
        let before = try site.contents()
        let made = try site.run(
            "sh", "-c", "cd \"$HOME\" && HOME=mine-too XDG_DATA_HOME= XDG_CONFIG_HOME= xcallback init notes:/add")
        #expect(made.status == 1 && made.output.contains("$HOME is 'mine-too', not an absolute path"), "\(made.output)")
        expect(try site.contents(), equals: before)
    }

    /// Words of YAML and of the languages are names like any others.
    @Test(arguments: ["sh", "python"])
    func aParameterMayHaveTheNameOfAKeyword(language: String) throws {
        let site = try SetupSite()
        let words = ["null", "yes", "class", "if", "print"].flatMap { ["--param", $0] }
        let made = try site.run(["xcallback", "init", "n:/a", "--language", language] + words)
        #expect(made.status == 0, "\(made.output)")
        try site.startDaemon()
        let line = try #require(made.output.split(separator: "\n").first { $0.hasPrefix("  xcallback open ") })
        let answer = try site.run("sh", "-c", String(line)).output
        #expect(
            answer
                == "result=A:\n    null is Hello\n    yes is Hello\n    class is Hello\n    if is Hello\n    print is Hello\n"
        )
    }

    static let refused: [(arguments: [String], status: Int32, message: String)] = [
        ([], 64, "Missing expected argument '<url>'"), (["notes"], 64, "is not the URL of an action"),
        (["notes:/a/:id"], 64, "a path without captures"), (["notes:/a", "--param", "x-y"], 64, "is not a parameter"),
        (["notes:/a", "--param", "n:whole"], 64, "is not a parameter"),
        (["notes:/a", "--param", "n:enum"], 64, "date, url, uuid, data, json or file; "),
        (["notes:/a", "--param", "PATH"], 64, "is not a parameter"),
        (["Notes:/a"], 64, "is not the URL of an action"), ([".:/a"], 64, "is not the URL of an action"),
        (["file:/a"], 78, "the scheme 'file' cannot be a router's own"),
        (["notes:/a", "--title", "\u{202E}x"], 78, "U+202E"),
    ]

    @Test(arguments: refused)
    func afterAFaultNothingIsLeft(arguments: [String], status: Int32, message: String) throws {
        let site = try SetupSite()
        let before = try site.contents()
        let result = try site.run(["xcallback", "init"] + arguments)
        #expect(result.status == status && result.output.contains(message), "\(result.output)")
        expect(try site.contents(), equals: before)
    }

    @Test func anActionThatAnotherFileHasIsRefusedAndTakenBack() throws {
        let site = try SetupSite()
        expect(try site.run("xcallback", "init", "notes:/add").status, equals: 0)
        try site.home.write(
            "schemes: [notes]\nroutes: [{ route: notes:/list, respond: }]\n", to: ".config/xcallbackd/routes.d/own.yaml"
        )
        try site.giveAway()
        let before = try site.contents()
        let result = try site.run("xcallback", "init", "notes:/list")
        #expect(result.status == 78 && result.output.contains("two routes answer the same URL"), "\(result.output)")
        #expect(result.output.hasSuffix("xcallback: all changes were undone\n"), "\(result.output)")
        expect(try site.contents(), equals: before)
    }

    @Test(.enabled(if: geteuid() == 0, "only root is told so"))
    func rootIsReportedWhereItsActionsBelong() throws {
        let result = try DesktopSite().run("xcallback", "init", "notes:/add")
        #expect(result.status == 1 && result.output.contains("write a file in /etc/xcallbackd/routes.d"))
    }
}
