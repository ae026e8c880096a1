import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// `xcallback pick` with menus that read lines.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct PickTests {
    private static let configuration = #"""
        schemes: [notes]
        routes:
          - route: notes:/notes/:id/append
            title: Append to a note
            input:
              id: { type: int, description: The number }
              mark: { type: enum, values: [todo, done] }
              tags: { type: list, required: false }
              text: { description: What to add }
            respond: { told: "{id} {mark} {text}" }
          - { route: notes:/list, public: true, respond: { all: "1" } }
          - { route: notes:/never, title: Never, exec: ["false"] }
          - route: notes:/set
            title: Set
            input:
              count: { type: int, min: 1, max: 5 }
              name: { max-length: 3, charset: a-z }
              link: { type: url, schemes: [https] }
            respond: { told: "{count} {name} {link}" }
        """#

    private let daemon: RunningDaemon
    private let site: DesktopSite

    init() throws {
        daemon = try RunningDaemon(Self.configuration)
        site = try DesktopSite(socket: daemon.socket, session: [])
        // The menu records its prompt, and answers with the next line of a file.
        try site.install(
            program: "menu",
            script: """
                { echo "[$XCALLBACK_PROMPT]"; cat; } >>"$HOME/asked"
                head -n 1 "$HOME/choices"; sed -i 1d "$HOME/choices"
                """)
    }

    private func pick(_ choices: [String], _ arguments: String...) throws -> DesktopSite.Result {
        try site.directory.write(choices.map { "\($0)\n" }.joined(), to: "choices")
        try site.directory.write("", to: "asked")
        return try site.run("sh", "-c", "xcallback pick \(arguments.joined(separator: " ")) --menu menu 2>&1")
    }

    @Test func anActionIsChosenAndGivenWhatItNeeds() throws {
        let text = "it's \"this\" & 50 % \u{1F600}"
        let result = try pick(["Append to a note (notes:/notes/:id/append)", "7", "done", text])
        #expect(result.status == 0 && result.output == "told=7 done \(text)\n", "\(result.output)")
        let asked = """
            [action]
            Append to a note (notes:/notes/:id/append)
            notes:/list
            Never (notes:/never)
            Set (notes:/set)
            [id: The number (int)]
            [mark: enum]
            todo
            done
            [text: What to add]

            """
        expect(try site.directory.text(of: "asked"), equals: asked)
    }

    /// There is no line that a filter could match, so the typed text is the value.
    @Test func whateverIsTypedIsTheValue() throws {
        try site.install(
            program: "fzf",
            script: """
                # As fzf --print-query: what is typed, then the first line that holds it.
                report "$*"
                read -r typed <"$HOME/choices"; sed -i 1d "$HOME/choices"
                printf '%s\\n' "$typed"; grep -m 1 -F -e "$typed"
                """)
        try site.directory.write("Append\n7\ndone\ntext: What to add\n", to: "choices")
        let result = try site.run("xcallback", "pick", "--print", "--menu", "fzf", "--print-query")
        #expect(result.output == "told=7 done text: What to add\n", "\(result.output)")
        let arguments = try (0..<4).map { _ in try site.nextReport() }
        #expect(
            arguments
                == ["action", "id: The number (int)", "mark: enum", "text: What to add"]
                .map { "--print-query --prompt \($0)> " }, "\(arguments)")
    }

    @Test func whoeverLeavesTheMenuHasAskedNothing() throws {
        for choices in [
            [], ["Append to a note (notes:/notes/:id/append)"],
            ["Append to a note (notes:/notes/:id/append)", "7", "done"],
        ] {
            let result = try pick(choices)
            #expect(
                result.status == 3 && result.output == "xcallback: the menu was closed; nothing was sent\n",
                "\(result.output)")
        }
        let other = try pick(["something else"])
        #expect(other.status == 64 && other.output.contains("'something else' is not one of the actions"))
    }

    /// The prompt has the bounds, and after a wrong value what is wrong.
    @Test func aWrongValueIsAskedForAgain() throws {
        let result = try pick(["Set (notes:/set)", "9", "x", "3", "longer", "abc", "http://a", "https://a"])
        #expect(result.status == 0 && result.output == "told=3 abc https://a\n", "\(result.output)")
        let asked = try site.directory.text(of: "asked").split(separator: "\n").filter { $0.hasPrefix("[") }
        let (count, name) = ("int 1…5", "string, at most 3 characters of a-z")
        #expect(
            asked == [
                "[action]", "[count: \(count)]", "[count: must be at most 5; \(count)]",
                "[count: must be a whole number; \(count)]", "[name: \(name)]",
                "[name: must be at most 3 characters long; \(name)]", "[link: url https]",
                "[link: must be a URL with the scheme https; url https]",
            ])
        let endless = try pick(["Set (notes:/set)"] + (0..<12).map { _ in "0" })
        #expect(endless.status == 64 && endless.output == "xcallback: 'count' must be at least 1; nothing was sent\n")
    }

    /// The output of a menu that was killed may be incomplete.
    @Test(arguments: [
        (
            "echo notes:/list; kill -SEGV $$", 69,
            "the menu 'sh -c echo notes:/list; kill -SEGV $$' failed: signal 11"
        ),
        ("echo notes:/list; kill -TERM $$", 3, "the menu was closed"),
        ("echo notes:/list; exit 130", 3, "the menu was closed"), ("exit 1", 3, "the menu was closed"),
        ("exit 2", 69, "the menu 'sh -c exit 2' failed: status 2; nothing was sent"),
        ("exit 127", 64, "cannot run"), ("yes", 64, "the menu printed more than 1048576 bytes"),
        ("echo notes:/list; exit 1", 0, "all=1"),
    ])
    func aMenuThatDoesNotEndWellChoosesNothing(script: String, status: Int32, text: String) throws {
        let result = try site.run("timeout", "60", "xcallback", "pick", "--menu", "sh", "-c", script)
        #expect(
            result.status == status && result.output.contains(text), "\(result.status) \(result.output.prefix(300))")
    }

    @Test func theStatusIsThatOfOpen() throws {
        expect(try pick(["notes:/list"]).output, equals: "all=1\n")
        expect(try pick(["notes:/list"], "--origin", "desktop").output, equals: "all=1\n")
        expect(try site.directory.text(of: "asked"), equals: "[action]\nnotes:/list\n")
        let failed = try pick(["Never (notes:/never)"])
        #expect(failed.status == 1 && failed.output.hasSuffix("(1)\n"), "\(failed.output)")
    }

    @Test func theMenuIsThatOfTheEnvironment() throws {
        try site.directory.write("notes:/list\n", to: "choices")
        let result = try site.run("xcallback", "pick", environment: ["XCALLBACK_MENU=menu | tr a-z a-z"])
        #expect(result.output == "all=1\n", "\(result.output)")
        let missing = try site.run("xcallback", "pick", environment: ["XCALLBACK_MENU=nomenu -x"])
        #expect(missing.status == 64)
        #expect(
            missing.output.hasSuffix("xcallback: cannot run the menu 'nomenu -x' of XCALLBACK_MENU\n"),
            "\(missing.output)")
        let none = try site.run("xcallback", "pick")
        #expect(none.status == 64 && none.output.contains("no menu program is installed"))
        let absent = try site.run("xcallback", "pick", "--menu", "/no/such/menu")
        #expect(absent.status == 64 && absent.output.contains("cannot run the menu '/no/such/menu'"))
    }

    /// On a desktop, where the output goes unread, the answer is a notification.
    @Test func onADesktopTheAnswerIsANotification() throws {
        try site.install(program: "notify-send", script: "report \"$@\"")
        try site.directory.write("notes:/list\n", to: "choices")
        let result = try site.run("xcallback", "pick", "--menu", "menu", environment: ["DISPLAY=:99"])
        #expect(result.status == 0 && result.output == "", "\(result.output)")
        expect(try site.nextReport(), equals: "--app-name=xcallback -- notes:/list 1")
    }
}
