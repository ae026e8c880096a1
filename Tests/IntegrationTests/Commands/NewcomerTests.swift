import Glibc
import Testing
import XCallbackTesting

/// A newcomer's steps, from nothing to an action that is requested and selected in a menu.
@Suite(.blocking, .timeLimit(.minutes(5)))
struct NewcomerTests {
    /// A value that a shell, a URL and YAML would each misread.
    private static let value = """
        two  words, it's a "note"
        of 100 % & more: a=b&c=d+e#f ?/;$HOME `x` \\ \u{1F600}

        the end
        """

    @Test func fromNothingToAnActionThatIsChosen() throws {
        let site = try SetupSite()
        let made = try site.run(
            "xcallback", "init", "notes:/add", "--title", "Add a note", "--param", "text", "--param", "due:date")
        #expect(made.status == 0, "\(made.output)")
        let daemon = try site.startDaemon()
        defer { daemon.send(signal: SIGTERM) }
        // The user edits the files: the action gets a description, and its program another effect.
        let dropIn = ".config/xcallbackd/routes.d/notes-add.yaml"
        let text = try site.home.text(of: dropIn).replacing(
            "text: { type: string, ", with: "text: { type: string, description: What to note, ")
        try site.home.write(text, to: dropIn)
        try site.install(
            "notes-add", in: ".local/share/xcallbackd/programs/notes-add", "#!/bin/sh\nprintf '%s\\n' \"$1\"\n")
        try site.giveAway()
        let reloaded = try site.run("sh", "-c", "xcallback check && xcallback reload")
        #expect(reloaded.status == 0 && reloaded.output.contains("~ notes:/add"), "\(reloaded.output)")
        // TAB finds the action, and what it needs.
        let terminal = try ShellTerminal(socket: site.home.path(of: "run/xcallbackd/socket"), as: site.asUser)
        let typed = try terminal.type("xcallback open notes:/a", in: "bash", keys: "\\t--param t\\t")
        #expect(Array(typed.words.dropFirst()) == ["open", "notes:/add", "--param", "text="], "\(typed.screen)")
        // The given value returns unchanged.
        let opened = try site.run(
            "sh", "-c", "xcallback open notes:/add --param text=\"$VALUE\" --param due=2026-02-01 --value result",
            environment: ["VALUE=\(Self.value)"])
        #expect(opened.status == 0 && opened.output == "\(Self.value)\n", "\(opened.output)")
        // A menu offers it by its title, then asks for the required values.
        try site.install(
            "menu", in: "bin",
            """
            #!/bin/sh
            case $XCALLBACK_PROMPT in
                action) grep 'Add a note' ;;
                'text: What to note') echo 'Buy milk & bread' ;;
                due:*) echo 2026-02-01 ;;
            esac

            """)
        let picked = try site.run("xcallback", "pick", "--print", "--menu", "menu")
        #expect(picked.status == 0 && picked.output == "result=Buy milk & bread\n", "\(picked.output)")
    }
}
