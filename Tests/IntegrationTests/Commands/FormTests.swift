import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The values that `xcallback pick` and `open --ask` ask for, with dialogs that answer as zenity and kdialog do.
@Suite(.blocking)
struct FormTests {
    private static let configuration = #"""
        schemes: [form]
        routes:
          - route: form:/all/:id
            title: All <of> it
            description: "What & why\nMore"
            input:
              id: { type: int, max: 9, description: The number }
              mark: { type: enum, values: [todo, done], default: todo }
              sure: { type: bool, required: false }
              key: { secret: true, required: false }
              text: { required: false }
            exec: [grep, -o, '"parameters":{{[^}}]*}}']
          - route: form:/own
            input:
              key: { secret: true, min-length: 2 }
              text: { max-length: 20000 }
              mark: { type: enum, values: ["a|b", c] }
            respond: { told: "{text} {mark}" }
          - { route: form:/number, input: { n: { type: enum, values: ["2", "1"] } }, respond: { told: "{n}" } }
          - route: form:/many
            input: { \#((1...14).map { "p\($0): { required: false }" }.joined(separator: ", ")) }
            respond: { told: "yes" }
          - { route: form:/secrets, returns: { key: { secret: true }, a: string }, respond: { key: "pass word", a: "1" } }
          - route: form:/refused
            input: { key: { secret: true } }
            exec: [sh, -c, 'echo "no login with $1" >&2; exit 1', sh, "{key}"]
          - { route: form:/long, respond: { a: \#(String(repeating: "x", count: 400)) } }
        """#
    private static let form =
        "--forms --title=All <of> it --text=What &amp; why --separator=\u{1F} --add-entry=id: The number (int to 9)"

    private let daemon: RunningDaemon
    private let site: DesktopSite

    init() throws {
        daemon = try RunningDaemon(Self.configuration)
        site = try DesktopSite(socket: daemon.socket)
        unlink(site.directory.path(of: "bin/report"))
    }

    /// Runs the command with programs that report their arguments and answer with the next line; `^` separates fields, and a
    /// line that begins with `!` comes at once.
    private func run(
        _ arguments: [String], _ programs: [String], answering lines: [String]
    ) throws -> (result: DesktopSite.Result, reports: [String]) {
        try site.directory.write(lines.map { "\($0)\n" }.joined(), to: "answers")
        for program in programs {
            try site.install(
                program: program,
                script: #"""
                    PATH=/usr/bin:/bin; report "$*"; read -r line <"$HOME/answers"; sed -i 1d "$HOME/answers"
                    case "$line" in ESC) exit 130;; LINES) cat; exit;; !*) line=${line#!};; *) case "$*" in --forms*) sleep 3.1;; *) sleep 1.6;; esac;; esac
                    printf '%s\n' "$line" | tr '^~' '\037\n'
                    """#)
        }
        let tools = try RunningDaemon.program("xcallback").dropLast("/xcallback".count)
        let words = ["env", "PATH=\(site.directory.path)/bin:\(tools)", "DISPLAY=:9", "xcallback"]
        let result = try site.run(words: words + arguments)
        var reports: [String] = []
        while site.hasMore { reports.append(try site.nextReport()) }
        return (result, reports)
    }

    /// zenity 3 returns a blank for a choice that was not made, zenity 4 the first line.
    @Test(arguments: [
        (["7^ ^ ^pw|x^it's \"x\" % \\n ש"], #""id":7,"key":"pw|x","text":"it's \"x\" % \\n ש","mark":"todo""#, ""),
        (["7^default: todo^– not chosen^^"], #""id":7,"mark":"todo""#, ""), (["7^done^false^^a~b"], #""a\nb""#, ""),
        (
            ["70^done^true^^", "7"], #""id":7,"mark":"done","sure":true"#,
            "--entry --title=id must be at most 9 --text=id: must be at most 9; The number (int to 9) --entry-text=70"
        ),
        (
            ["^^^^", "7"], #""id":7"#,
            "--entry --title=id must be given --text=id: must be given; The number (int to 9)"
        ),
        // What is sent at once was typed for another window: it is forgotten.
        (
            ["!8^done^true^pw^t", "7^done^ ^^"], #""id":7,"mark":"done"}"#, "again"
        ),
        (["7^a^b^^^"], "a value has the character U+001F", ""), (["ESC"], "the menu was closed; nothing was sent", ""),
    ])
    func aFormAsksForAll(lines: [String], text: String, second: String) throws {
        let (result, reports) = try run(["pick", "form:/all/:id", "--print"], ["zenity"], answering: lines)
        #expect(result.output.contains(text), "\(result)")
        let options =
            " --add-combo=mark: enum, default: todo --combo-values=default: todo|todo|done --add-combo=sure: bool, optional "
            + "--combo-values=– not chosen|true|false --add-password=key: string, optional --add-entry=text: string, optional"
        let form = "\(Self.form)\(options)"
        #expect(reports == [form] + (second == "" ? [] : [second == "again" ? form : second]))
    }

    @Test func aFormFitsOnTheScreen() throws {
        let (result, reports) = try run(
            ["pick", "form:/many", "--print"], ["zenity"], answering: ["^^^^^^^^^", "^^^"])
        #expect(result.output == "told=yes\n", "\(result)")
        #expect(reports.map { $0.ranges(of: "--add-entry").count } == [10, 4])
    }

    /// A command that names all that is needed asks nothing; 'open' asks only if it is told to.
    @Test func whatIsKnownIsNotAsked() throws {
        let given = ["--param", "id=1"]
        for (arguments, lines, count) in [
            (["pick", "--print"], [], 0), (["open"], [], 0), (["open", "--ask"], ["done^^^"], 1),
        ] {
            let (result, reports) = try run(arguments + ["form:/all/:id"] + given, ["zenity"], answering: lines)
            #expect(result.status == 0 && reports.count == count, "\(result) \(reports)")
            #expect(result.output.contains(count == 0 ? "todo" : "done"), "\(result)")
        }
    }

    /// Fields that no form has are windows of their own.
    @Test(arguments: [
        (
            "zenity", ["--entry --title=key --text=key: string, at least 2 characters --hide-text"],
            "--text-info --editable --title=text: string, at most 20000 characters --width=600 --height=400",
            "--list --title=mark --text= --column=mark: enum --width=600 --height=400 -- a|b c"
        ),
        (
            "kdialog", ["--title=key --password key: string, at least 2 characters"],
            "--title=text --textinputbox text: string, at most 20000 characters",
            "--title=mark --menu mark: enum -- a|b a|b c c"
        ),
    ])
    func aDialogAsksForOne(program: String, key: [String], text: String, mark: String) throws {
        // Neither an early secret nor a wrong one is on a command line, which other users can read.
        let lines = ["!1", "1", "pw", "-1~2~~", "a|b"]
        let (result, reports) = try run(["pick", "form:/own", "--print"], [program], answering: lines)
        #expect(result.output == "told=-1\n    2\n    \n     a|b\n", "\(result)")
        let wrong = key[0].replacing("key: ", with: "key: must be at least 2 characters long; ")
            .replacing("title=key", with: "title=key must be at least 2 characters long")
        let plain = reports.map {
            $0.replacing(#"<qt><p style="white-space: pre-wrap">"#, with: "").replacing("</p></qt>", with: "")
        }
        #expect(plain == [key[0], key[0], wrong, text, mark])
    }

    @Test func noMenuShowsASecret() throws {
        let (result, reports) = try run(["pick", "form:/own", "--print"], ["rofi"], answering: ["pw"])
        #expect(result.status == 69 && reports == [], "\(result)")
        #expect(
            result.output
                == "xcallback: no menu hides a secret: install zenity or kdialog, or use --stdin; nothing was sent\n")
        let optional = try run(["pick", "form:/all/:id", "--print"], ["rofi"], answering: ["7", "todo", "true", "a"])
        #expect(optional.result.output.contains(#""id":7"#) && optional.reports.count == 4, "\(optional)")
        let shown = try run(["pick", "form:/secrets"], ["notify-send"], answering: ["!"])
        #expect(shown.reports == ["--app-name=xcallback -- form:/secrets key: not shown", "1"])
        let refused = try run(["pick", "form:/refused", "--param", "key=pw"], ["notify-send"], answering: ["!"])
        #expect(refused.reports == ["--app-name=xcallback -- form:/refused Error 1, not shown"])
    }

    /// Where nothing else shows an answer, the menu does.
    @Test func anAnswerIsAlwaysShown() throws {
        let (result, reports) = try run(["pick", "form:/long"], ["rofi"], answering: ["LINES"])
        #expect(result.status == 0 && reports == ["-dmenu -i -p answer> "], "\(result) \(reports)")
        unlink(site.directory.path(of: "bin/rofi"))
        let unseen = try run(["pick", "form:/secrets", "--menu", "/nothing"], [], answering: [])
        #expect(unseen.result.status == 0 && unseen.result.output.hasSuffix("key: not shown\n1\n"), "\(unseen)")
    }

    /// A terminal does not show a secret, and takes a text of several lines.
    @Test(arguments: [
        ("own", "pw\na\n\nb\n.\n2\n", "told=a\r\n    \r\n    b c\r\n", 0),
        ("own", "pw\n\(String(repeating: "x", count: 5000))\n.\n1\n", "a terminal cuts a line after 4095 bytes", 3),
        // A line that is a number means itself, and not the line with that number.
        ("number", "1\n", "told=1\r\n", 0),
    ])
    func aTerminalHasFields(route: String, typed: String, text: String, status: Int32) throws {
        let tools = try RunningDaemon.program("xcallback").dropLast("/xcallback".count)
        let words = [
            "sh", "-c",
            "(sleep 3; for part in \"$@\"; do sleep 0.4; printf '%s\\n' \"$part\"; done; sleep 1) | script -qec 'PATH=\(tools) xcallback open --ask form:/\(route)' /dev/null",
            "sh",
        ]
        let result = try site.run(
            words: words + typed.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
        #expect(result.status == status && result.output.contains(text) && !result.output.contains("pw"), "\(result)")
    }
}
