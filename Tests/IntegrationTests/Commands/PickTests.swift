import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// `xcallback pick` with menus that read lines.
@Suite(.blocking)
struct PickTests {
    private static let configuration = #"""
        schemes: [notes]
        routes:
          - { route: notes:/hook, policies: [{ origin: [socket] }], respond: { a: "1" } }
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
          - route: notes:/pair
            title: Pair
            input: { count: { type: int, min: 1, max: 5 }, name: { max-length: 3, charset: " -~\u00A0-\U0010FFFF" } }
            respond: { told: "{count} {name}" }
          - { route: notes:/program, policies: [{ executable: /usr/bin/true }], respond: { a: "1" } }
          - { route: notes:/page, public: true, policies: [{ origin: desktop }], respond: { a: "1" } }
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
        let result = try pick(["Append to a note (notes:/notes/:id/append)", "7", "done", "", text])
        #expect(result.status == 0 && result.output == "told=7 done \(text)\n", "\(result.output)")
        let asked = """
            [action]
            Append to a note (notes:/notes/:id/append)
            notes:/list
            Never (notes:/never)
            Set (notes:/set)
            Pair (notes:/pair)
            notes:/hook
            [id: The number (int)]

            [mark: enum]
            todo
            done
            [tags: list of string, optional]

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
        try site.directory.write("Append\n7\ndone\n\ntext: What to add\n", to: "choices")
        let result = try site.run("xcallback", "pick", "--print", "--menu", "fzf", "--print-query")
        #expect(result.output == "told=7 done text: What to add\n", "\(result.output)")
        let arguments = try (0..<5).map { _ in try site.nextReport() }
        let hints = [
            "action> ", "id>  --header id: The number (int)", "mark>  --header mark: enum",
            "tags>  --header tags: list of string, optional",
        ]
        #expect(
            arguments == (hints + ["text>  --header text: What to add"]).map { "--print-query --prompt \($0)" },
            "\(arguments)")
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

    @Test func oneActionIsAskedForWhatItLacks() throws {
        for (arguments, choices, output, asked) in [
            (["notes:/pair", "--param", "name=abc"], ["4"], "told=4 abc\n", "[count: int 1…5]\n\n"),
            (["notes:/pair", "--param", "count=2"], ["b"], "told=2 b\n", "[name: string, at most 3 characters]\n"),
            (["notes:/pair", "--param", "name=a", "--param", "count=2"], [], "told=2 a\n", ""),
            (
                ["notes:/notes/:id/append", "--param", "text=x"], ["1", "todo", ""], "told=1 todo x\n",
                "[id: The number (int)]"
            ),
            (["notes:/list"], [], "all=1\n", ""),
            (["'notes:/pair?count=1&name=b'"], [], "told=1 b\n", ""),
            (["notes:/page"], [], "error: Policy 'origin' refuses the request", ""),
            (["notes:/nothing"], [], "error: ", ""), (["list"], [], "xcallback: the URL 'list' has no scheme", ""),
        ] {
            try site.directory.write(choices.map { "\($0)\n" }.joined(), to: "choices")
            let result = try pick(choices, arguments.joined(separator: " "))
            #expect(result.output.hasPrefix(output), "\(arguments): \(result.output)")
            expect(try site.directory.text(of: "asked")) { $0.hasPrefix(asked) && (asked != "" || $0 == "") }
        }
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
        ("echo notes:/list; exit 130", 3, "the menu was closed"),
        ("cat >/dev/null; exit 1", 3, "the menu was closed"), ("cat >/dev/null; exit 2", 3, "the menu was closed"),
        // It has not read the lines, so it has not shown them.
        ("exit 1", 69, "the menu 'sh -c exit 1' failed: status 1; nothing was sent"),
        ("exit 2", 69, "the menu 'sh -c exit 2' failed: status 2; nothing was sent"),
        ("exit 127", 69, "cannot run"), ("yes", 69, "failed: more than 1048576 bytes of output; nothing was sent"),
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

    /// Runs `pick` as a key does, where only these programs are installed.
    private func pickByKey(
        _ programs: [String: String], _ arguments: [String] = [], with variables: [String], input: String = "/dev/null"
    ) throws -> DesktopSite.Result {
        for name in ["report", "menu"] { unlink(site.directory.path(of: "bin/\(name)")) }
        for (name, script) in programs { try site.install(program: name, script: "PATH=/usr/bin:/bin\n\(script)") }
        let tools = try RunningDaemon.program("xcallback").dropLast("/xcallback".count)
        let words = ["PATH=\(site.directory.path)/bin:\(tools)", "xcallback", "pick"] + arguments
        return try site.run(words: ["env"] + variables + words, input: input)
    }

    /// Each menu that fails is followed by the next one.
    @Test(arguments: [
        (["WAYLAND_DISPLAY=w", "DISPLAY=:9"], "fuzzel wofi bemenu rofi zenity kdialog"),
        (["WAYLAND_DISPLAY=w", "XDG_CURRENT_DESKTOP=ubuntu:GNOME"], "wofi rofi zenity kdialog"),
        (["DISPLAY=:9"], "rofi dmenu zenity kdialog"),
        (["DISPLAY=:9", "XDG_CURRENT_DESKTOP=KDE"], "rofi dmenu kdialog zenity"),
        (["DISPLAY=:9", "XCALLBACK_MENU=mine"], "mine rofi dmenu zenity kdialog"),
        ([], ""),
    ])
    func theMenuIsTheFirstThatWorks(variables: [String], names: String) throws {
        let fails = ["exit 1", "kill -SEGV $$", "exit 70"]
        let all = "fuzzel wofi bemenu rofi dmenu fzf zenity kdialog mine".split(separator: " ").map(
            String.init)
        let programs =
            all.enumerated().map { ($1, "report ${0##*/}; \(fails[$0 % 3])") }
            + [("notify-send", "report notify-send")]
        let failed = try pickByKey(.init(uniqueKeysWithValues: programs), with: variables)
        #expect(failed.status == 69, "\(failed)")
        let shown = names.split(separator: " ").map(String.init)
        expect(try site.allReports(), equals: (shown + ["notify-send"]).joined(separator: " "))
        guard let last = shown.last else {
            return #expect(
                failed.output.hasPrefix("xcallback: there is no display for a menu: neither WAYLAND_DISPLAY"))
        }
        let works = try pickByKey([last: "cat >/dev/null; echo notes:/list"], ["--print"], with: variables)
        #expect(works.status == 0 && works.output.hasSuffix("; trying the next menu\nall=1\n"), "\(works)")
        let name = shown[0]
        let closed = try pickByKey([name: "cat >/dev/null; exit 130"], ["--print"], with: variables)
        #expect(
            closed.status == 3 && closed.output == "xcallback: the menu was closed; nothing was sent\n", "\(closed)")
    }

    /// A dialog of a desktop has no option for its lines, or texts that it would interpret.
    @Test(arguments: [
        (
            "zenity",
            "--list --title=action --text= --column=action --width=600 --height=400 -- One <b> (notes:/one/:a_b)",
            "--entry --title=a_b --text=a__b: What & <why>\\\\n"
        ),
        (
            "kdialog", "--title=action --menu <qt>action</qt> -- One <b> (notes:/one/:a_b) One <b> (notes:/one/:a_b)",
            "--title=a_b --inputbox <qt>a_b: What &amp;&amp; &lt;why&gt;&#92;n</qt>"
        ),
    ])
    func aDialogOfADesktopIsAMenu(name: String, list: String, entry: String) throws {
        let route =
            #"{ route: "notes:/one/:a_b", title: One <b>, input: { a_b: { description: 'What & <why>\n' } }, respond: { a: "{a_b}" } }"#
        let daemon = try RunningDaemon("schemes: [notes]\nroutes:\n  - \(route)\n")
        let script =
            #"report "$*"; case "$*" in *--text=a*|*--inputbox*) sleep 1.6; echo " x|y ";; *) echo "One <b> (notes:/one/:a_b)";; esac"#
        let result = try pickByKey(
            [name: script], ["--print", "--socket", daemon.socket], with: ["DISPLAY=:9"])
        #expect(result.output == "a= x|y \n", "\(result)")
        let qt = "<p style=\"white-space: pre-wrap\">"
        for words in [list, entry] {
            expect(try site.nextReport().replacing(qt, with: "").replacing("</p>", with: ""), equals: words)
        }
    }

    /// Without a terminal, nobody sees what is printed.
    @Test func aKeyShowsAnswersAndErrorsOnTheScreen() throws {
        let socket = ["--socket", "/nonexistent/socket"]
        for (arguments, menu, text) in [
            (["notes:/list"], "", "notes:/list 1"),
            (["notes:/never"], "", "Never The program ended with status 1. (1)"),
            (["--nonsense"], "", "xcallback pick Error: Unknown option '--nonsense'"),
            (socket, "", "xcallback pick cannot reach the daemon at '/nonexistent/socket'"),
            ([], "cat; kill -SEGV $$", "xcallback pick the menu 'rofi -dmenu -i' failed: signal 11; nothing was sent"),
            ([], "cat; echo x", "xcallback pick 'x' is not one of the actions; nothing was sent"),
        ] {
            let programs = ["rofi": menu, "notify-send": #"report "$@""#]
            let result = try pickByKey(programs, arguments, with: ["DISPLAY=:9"])
            let shown = try site.allReports()
            #expect(shown.hasPrefix("--app-name=xcallback -- \(text)"), "\(shown) \(result)")
        }
        let closed = try pickByKey(["rofi": "cat >/dev/null; exit 1"], with: ["DISPLAY=:9"])
        #expect(closed.status == 3 && !site.hasMore)
        // A desktop that was started on a terminal passes it on.
        let hidden = "setsid --wait env PATH=$HOME/bin:$(dirname \"$(command -v xcallback)\") DISPLAY=:9 xcallback pick"
        for (name, text) in [("list", "notes:/list 1"), ("never", "Never The program")] {
            try site.run("script", "-qec", "\(hidden) notes:/\(name)", "/dev/null")
            expect(try site.allReports()) { $0.hasPrefix("--app-name=xcallback -- \(text)") }
        }
    }

    /// Desktops cut a long notification.
    @Test(arguments: ["zenity", "kdialog"])
    func aLongAnswerIsAWindow(program: String) throws {
        let long = (1...9).map { "\($0) <b>&" }.joined(separator: "\n")
        let daemon = try RunningDaemon(
            "schemes: [n]\nroutes:\n  - { route: n:/long, respond: { a: '\(long.replacing("\n", with: "\n\n      "))' } }\n"
        )
        let script = #"report "$*"; report "$(tail -n 1)""#
        let notify = #"report "$@""#
        for hasServer in [true, false] {
            let programs = [program: script, "notify-send": hasServer ? notify : "exit 1"]
            let result = try pickByKey(programs, ["n:/long", "--socket", daemon.socket], with: ["DISPLAY=:9"])
            #expect(result.status == 0)
            let shown = try (site.nextReport(), site.nextReport())
            let options = program == "zenity" ? "--text-info --width=600 --height=400" : "--textbox - 600 400"
            expect(shown.0, equals: "--title=n:/long \(options)")
            let last =
                program == "zenity" ? "9 <b>&" : "<qt><p style=\"white-space: pre-wrap\">9 &lt;b&gt;&amp;</p></qt>"
            expect(shown.1, equals: last)
        }
    }

    /// On a terminal, a list with numbers needs no other program.
    @Test(arguments: [
        ("4\n", "count: int 1…5> ", 3), ("notes:/list\n", "all=1", 0), ("APP\n7\n2\n\nx\n", "told=7 done x", 0),
        ("(\n2\n", "1) Append to a note (notes:/notes/:id/append)\r\n2) Never (notes:/never)\r\n", 1),
        ("xyz\n", "'xyz' is not one of the actions", 64),
        ("-9223372036854775808\n", "'-9223372036854775808' is not one of the actions", 64),
        ("\n", "the menu was closed; nothing was sent", 3),
    ])
    func aTerminalIsAMenu(typed: String, text: String, status: Int32) throws {
        let file = try site.directory.write(typed, to: "typed")
        let tools = try RunningDaemon.program("xcallback").dropLast("/xcallback".count)
        let result = try site.run(
            "script", "-qec", "PATH=\(tools) DISPLAY=:9 xcallback pick", "/dev/null", input: file)
        #expect(result.status == status && result.output.contains(text), "\(result)")
    }

    @Test func theMenuIsThatOfTheEnvironment() throws {
        try site.directory.write("notes:/list\n", to: "choices")
        let result = try site.run("xcallback", "pick", environment: ["XCALLBACK_MENU=menu | tr a-z a-z"])
        #expect(result.output == "all=1\n", "\(result.output)")
        let missing = try site.run("xcallback", "pick", environment: ["XCALLBACK_MENU=nomenu -x"])
        #expect(missing.status == 69)
        #expect(missing.output.hasSuffix("xcallback: cannot run the menu '/bin/sh -c nomenu -x'; nothing was sent\n"))
        let absent = try site.run("xcallback", "pick", "--menu", "/no/such/menu")
        #expect(absent.status == 69 && absent.output.contains("cannot run the menu '/no/such/menu'"))
    }
}
