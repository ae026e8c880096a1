import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// The examples of the desktop documents, with the real daemon and the real desktop tools.
@Suite(.blocking)
struct DesktopRecipeTests {
    private static let configuration = """
        schemes: [notes, greet, sum]
        callbacks: { allow: [obsidian, "https://example.org"] }
        routes:
          - { route: notes:/create, public: true, input: { title: string }, respond: }
          - { route: greet:/hello, public: true, input: { name: string }, respond: { name: "{name}" } }
          - { route: sum:/file, input: { file: file }, exec: [sha256sum, "{file}"] }
        """
    private static let button = "Docs/HowTo/PagesKeysAndMenus.md"
    private static let times = "Docs/HowTo/TimesAndOtherMachines.md"
    private static let files = "Docs/HowTo/OpenFiles.md"
    private static let documents = [
        "Docs/Reference/DesktopCommands.md", button, times, files,
        "Docs/HowTo/CallApplications.md",
    ]
    /// A word of each shell script; a test runs each script.
    private static let words = [
        "register notes", "<list.txt", "obsidian:", "pick-color", "send-to-phone", "ssh ", "pick greet:", "pick sum:",
        "gsettings",
    ]

    /// Returns the script that contains a word.
    static func recipe(_ word: String) throws -> String {
        try #require(recipes.first { $0.text.contains(word) }).text
    }

    /// Runs a script in the home.
    private static func run(_ script: String, in site: DesktopSite) throws -> DesktopSite.Result {
        try site.run("sh", "-ec", "cd \(site.directory.path); \(script)")
    }

    /// The scripts; `PickTests` has those with menus.
    private static var recipes: [DocumentExample] {
        documents.flatMap { DocumentExample.all(in: "sh", of: $0) }.filter {
            !$0.text.contains("--menu") && !$0.text.contains("XCALLBACK_MENU")
        }
    }

    private let daemon: RunningDaemon
    private let site: DesktopSite

    init() throws {
        daemon = try RunningDaemon(Self.configuration)
        site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "opener", script: "report \"$1\"")
        try site.run("xcallback", "register", "xcallback")
    }

    @Test func eachScriptHasATest() {
        #expect(Self.recipes.count == Self.words.count)
        for recipe in Self.recipes { #expect(Self.words.count { recipe.text.contains($0) } == 1, "\(recipe)") }
    }

    @Test func theFirstNoteIsMadeAndTakenBack() throws {
        let site = try SetupSite(
            textOfPackageFile("config/examples/notes/notes.yaml"), session: ["WAYLAND_DISPLAY=display"])
        let display = try SocketServer(site.home.path(of: "run/display")) { _ in }
        // A yes counts once the question was visible long enough.
        try site.install("zenity", in: "bin", "#!/bin/sh\nexec sleep 3\n")
        try site.installServiceManager()
        let tutorial = "Docs/Tutorials/FirstNote.md"
        var blocks = DocumentExample.all(in: "sh", of: tutorial).map(\.text)
        #expect(blocks.removeFirst() == "apt install ./xcallbackd_*.deb\n")
        let page = try #require(DocumentExample.all(in: "html", of: tutorial).first).text
        let link = try #require(page.split(separator: "\"").dropFirst().first).replacing("&amp;", with: "&")
        // No user can answer or click.
        blocks[0] = "xcallback setup notes --yes\nxcallback handle -- '\(link)'\n"
        let result = try site.run("sh", "-ec", blocks.joined())
        #expect(result.status == 0, "\(result.output)")
        #expect(try result.output.contains(#require(DocumentExample.all(in: "text", of: tutorial).first).text))
        #expect(result.output.contains("title=First note\ntitle=Milk\nresult=Two liters\n"), "\(result.output)")
        #expect(result.output.contains("kept          ~/Notes: "))
        withExtendedLifetime(display) {}
    }

    @Test func schemesAreRegisteredAndGivenBack() throws {
        let site = try DesktopSite()
        try site.install("other", for: ["notes"], script: "")
        // The default configuration depends on the user who runs the tests.
        let file = try site.directory.write(Self.configuration, to: "config.yaml")
        let script = try Self.recipe("register notes").replacing("--all", with: "--all --config \(file)")
        let result = try Self.run(script, in: site)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("xcallback: xcallback has it\n"))
        #expect(result.output.contains("notes: xcallback has it\n"))
        #expect(result.output.hasSuffix("notes: unregistered\n"))
        let owner = try site.run("xdg-mime", "query", "default", "x-scheme-handler/notes")
        #expect(owner.output == "other.desktop\n")
    }

    @Test func anApplicationIsCalledWithParameters() throws {
        try site.install("app", for: ["app"], script: #"report "$1"; gio open "$(item "$1" x-success)?id=7""#)
        try site.directory.write("milk\nbread\n", to: "list.txt")
        let result = try Self.run(Self.recipe("<list.txt"), in: site)
        #expect(result.status == 0)
        #expect(result.output.hasSuffix("\nid=7\n"), "\(result.output)")
        let expected = "app://x-callback-url/create?title=Milk&tag=shopping%20%26%20more&text=milk%0Abread&x-source="
        expect(try site.nextReport()) { $0.hasPrefix(expected) }
    }

    @Test func obsidianIsAskedForANote() throws {
        let script = #"report "$(item "$1" vault)/$(item "$1" file)"; gio open "$(item "$1" x-success)?content=a%20b""#
        try site.install("obsidian", for: ["obsidian"], script: script)
        let result = try Self.run(Self.recipe("obsidian:"), in: site)
        expect(try site.nextReport(), equals: "Home/Inbox.md")
        #expect(result.status == 0)
        #expect(result.output.contains(#""items":[{"name":"content","value":"a b"}]"#), "\(result.output)")
    }

    static let choices = [("x-success)?color=dark%20red", "dark red\n"), ("x-cancel)", "nothing was picked\n")]

    @Test(arguments: choices)
    func aScriptTellsAnAnswerFromACancel(answer: String, output: String) throws {
        try site.install("app", for: ["app"], script: "gio open \"$(item \"$1\" \(answer)\"")
        let result = try Self.run(Self.recipe("pick-color"), in: site)
        #expect(result.status == 0)
        #expect(result.output.hasSuffix(output), "\(result.output)")
    }

    @Test func anAnswerComesFromAnotherDevice() throws {
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "send-to-phone", script: "report \"$1\"")
        let script = "cd \(site.directory.path)/bin; \(try Self.recipe("send-to-phone"))"
        let call = try site.start(["sh", "-ec", script], to: "call")
        let target = try #require(try ActionURL(site.nextReport()).success)
        expect(try site.run("xcallback", "handle", "--", "\(target)?done=1").status, equals: 0)
        expect(try call.wait(), equals: 0)
        expect(try site.directory.text(of: "call"), equals: "done=1\n")
    }

    @Test func theSocketOfAnotherMachineIsAsked() throws {
        let site = try DesktopSite()
        // A stand-in for ssh, without another machine: it links to the daemon's socket, too.
        let stand = #"[ "$1 $2 $3 $5" = "-f -N -o -L" ] && ln -s "${6#*:}" "${6%%:*}""#
        try site.install(program: "ssh", script: stand)
        let script = try Self.recipe("ssh ").replacing("/run/user/1000/xcallbackd/socket", with: daemon.socket)
        let result = try Self.run(script, in: site)
        #expect(result.output == "name=Ada\n")
    }

    @Test func aKeyAsksForWhatAnActionNeeds() throws {
        try site.install(program: "notify-send", script: #"report "$4""#)
        try site.install(program: "menu", script: #"report "$XCALLBACK_PROMPT"; echo Ada"#)
        let script = "export XCALLBACK_MENU=\(site.directory.path)/bin/menu; \(try Self.recipe("pick greet:"))"
        expect(try Self.run(script, in: site).output, equals: "")
        for report in ["name: string", "Ada", "Ada"] { expect(try site.nextReport(), equals: report) }
    }

    @Test(arguments: [
        ("@as []", "['PATH']"), ("['PATH']", "['PATH']"), ("['/a/']", "['/a/', 'PATH']"),
        ("['/a/', 'PATH']", "['/a/', 'PATH']"), ("['PATH', '/a/']", "['/a/', 'PATH']"),
    ])
    func aShortcutIsAddedToThoseOfGNOME(before: String, after: String) throws {
        let path = "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/actions/"
        let list = before.replacing("PATH", with: path)
        try site.install(program: "gsettings", script: #"[ "$1" = set ] && report "$3 $4" || echo "\#(list)""#)
        expect(try Self.run(Self.recipe("gsettings"), in: site).status, equals: 0)
        let settings = ["name Choose an action", "command xcallback pick", "binding <Super>x"]
        for setting in settings + ["custom-keybindings \(after.replacing("PATH", with: path))"] {
            expect(try site.nextReport(), equals: setting)
        }
    }

    @Test func panelsAndTimersRunActions() throws {
        let panel = DocumentExample.all(in: "ini", of: Self.button).map(\.text)
        let entry = try site.directory.write(#require(panel.first), to: "actions.desktop")
        expect(try site.run("desktop-file-validate", entry).output, equals: "")
        let cron = try #require(DocumentExample.all(in: "text", of: Self.times).first).text
        let units = DocumentExample.all(in: "ini", of: Self.times).map(\.text)
        let service = try #require(units.first?.firstRange(of: "ExecStart=")).upperBound
        for command in [
            cron.split(separator: " ").dropFirst(5).joined(separator: " "),
            String(try #require(units.first)[service...]),
        ] {
            #expect(command.hasPrefix("xcallback open greet:/hello "))
            expect(try site.run("sh", "-c", command).status, equals: 0)
        }
    }

    /// A file manager gives paths, or names in the folder that it shows.
    @Test func fileManagersGiveFilesToActions() throws {
        let entry = DocumentExample.all(in: "ini", of: Self.files).first?.text ?? ""
        let file = try site.directory.write("", to: "a b's")
        let written = try site.directory.write(entry, to: "sum.desktop")
        expect(try site.run("desktop-file-validate", written).output, equals: "")
        let words = entry.split(separator: "\n").first { $0.hasPrefix("Exec=") }?.dropFirst("Exec=".count) ?? ""
        let command = words.replacing("%f", with: "\"\(file)\"")
        let script = "set -- \"a b's\"\n\(try Self.recipe("pick sum:"))"
        for text in [String(command), script] {
            let result = try Self.run("unset DISPLAY WAYLAND_DISPLAY; \(text)", in: site)
            #expect(
                result.output == "result=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  \(file)\n",
                "\(result)")
        }
    }

    /// Also if folders of the home are links.
    @Test func thePackageNamesTheCommandThatDeletesWhatItLeaves() throws {
        let (unit, entry) = ("units/sockets.target.wants/xcallbackd.socket", "dot/autostart/xcallbackd.desktop")
        let kept = "units/sockets.target.wants/other.socket"
        for file in [unit, entry, kept, "dot/systemd/kept"] { try site.directory.write("", to: file) }
        removeDirectory(site.directory.path(of: ".config"))
        #expect(symlink("dot", site.directory.path(of: ".config")) == 0)
        #expect(symlink("../../units", site.directory.path(of: "dot/systemd/user")) == 0)
        try site.install(program: "getent", script: #"echo "ada:x:1000:1000::$HOME:/bin/sh""#)
        try site.directory.write(textOfPackageFile("systemd/scriptlets.sh"), to: "scriptlets.sh")
        let output = try Self.run(". ./scriptlets.sh; name_users", in: site).output
        let command = try #require(output.firstRange(of: ": run ").map { output[$0.upperBound...] })
        #expect(
            DocumentExample.all(in: "sh", of: "Docs/HowTo/Install.md").contains {
                $0.text.dropLast().replacing("\n", with: "; ") == command.dropLast()
            })
        expect(try Self.run(String(command), in: site).output, equals: "")
        #expect(!site.directory.contains(unit) && !site.directory.contains(entry) && site.directory.contains(kept))
    }

    @Test func whatStandsInTheTextWorksToo() throws {
        let text = try Self.documents.map { try textOfPackageFile($0) }.joined()
        let page = try #require(DocumentExample.all(in: "html", of: Self.button).first).text
        let link = try #require(page.split(separator: "\"").dropFirst().first.map(String.init))
        let note = "notes:/create?title=Milk&x-success=obsidian%3A%2F%2Fopen%3Fvault%3DHome%26file%3DInbox"
        let back = "&x-success=https%3A%2F%2Fexample.org%2Fdone"
        let key = "xcallback open greet:/hello --param name=Ada"
        for shown in [note, link + back, "`\(key)`"] { #expect(text.contains(shown)) }
        for url in [link, link + back, note] {
            expect(try site.run("xcallback", "handle", "--opener", "opener", "--", url).status, equals: 0, "\(url)")
        }
        expect(try site.nextReport(), equals: "https://example.org/done?name=Ada")
        expect(try site.nextReport(), equals: "obsidian://open?vault=Home&file=Inbox")
        #expect(!site.hasMore)
        expect(try site.run("sh", "-c", key).status, equals: 0)
    }
}
