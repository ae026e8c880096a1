import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting
import XCallbackWire

/// The product's own questions, with the real daemon and the real command; the desktop's tools are stand-ins.
@Suite(.blocking)
struct AskCommandTests {
    private static let success = "xcallback://x-callback-url/success?ok=1"
    private static let cancel = "xcallback://x-callback-url/cancel"
    private static let routes = """
          - route: run:/delete/:id
            public: true
            policies: [{ confirm: "Delete {{note}} {id}?" }]
            respond: { ok: 1 }
          - route: run:/new/:id
            public: true
            title: Create a note
            policies: [{ confirm: { text: "New {id}?", origin: desktop } }]
            respond: { ok: 1 }
          - { route: "run:/assist", agent: true, policies: [{ confirm: "Sure?" }], respond: { ok: 1 } }
          - { route: "run:/via", agent: true, redirect: "run:/delete/7" }
          - { route: "run:/short", policies: [{ confirm: { text: "Well?", timeout: 1s } }], respond: { ok: 1 } }
        """

    private static func site(_ tools: [String: String], hasDisplay: Bool = true) throws -> QuestionSite {
        try QuestionSite(routes, tools: tools, hasDisplay: hasDisplay)
    }

    @Test func aYesLetsTheRequestPass() throws {
        let site = try Self.site(["zenity": #"asked "$@"; stand"#])
        expect(try site.ask("delete/-42?x-source=Saf%0Aari"), equals: Self.success)
        let asked = try site.arguments("zenity")
        #expect(asked.contains("--default-cancel\n--no-markup\n--no-wrap\n--title=run:/delete/:id – xcallback\n"))
        #expect(asked.contains("--text=Delete {note} “-42”?\n\nThe program “"))
        let text = asked.replacing("\n↳ ", with: "").replacing("\n", with: "")
        // A long path is shortened.
        #expect(text.contains("The program “\(try RunningDaemon.ownProgram().prefix(40))"))
        #expect(text.contains(" asks for this (process \(getpid()))."))
        let sender = "The sender calls itself “\u{2066}Saf⏎\u{2069}\n↳ ari”.\n"
        #expect(asked.hasSuffix(").\n\(sender)"), "\(asked)")
    }

    /// GTK rejects the quotation marks of a question in a session without a locale, such as that of the tests in CI.
    @Test func aDialogCanReadTheQuestionInAnySession() throws {
        let site = try Self.site(["zenity": #"asked "$@"; [ "$(/usr/bin/locale charmap)" = UTF-8 ] || exit 1; stand"#])
        expect(try site.ask("delete/7"), equals: Self.success)
    }

    static let refusals: [(tool: String, script: String, answer: String)] = [
        ("zenity", #"stand; exit "$ZENITY_CANCEL""#, cancel), ("zenity", #"stand; exit "$ZENITY_ESC""#, cancel),
        ("kdialog", "stand; echo no", cancel), ("kdialog", "stand; exit 1", cancel), ("kdialog", "stand", cancel),
        ("kdialog", "stand; echo yes", success),
    ]

    @Test(arguments: refusals)
    func aNoCancelsTheRequest(tool: String, script: String, answer: String) throws {
        let site = try Self.site([tool: "asked \"$@\"; \(script)"])
        expect(try site.ask("delete/7"), equals: answer)
        #expect(site.count(tool) == 1)
    }

    @Test func anAnswerThatComesTooEarlyDoesNotCount() throws {
        let script = #"asked "$@"; [ $n -lt 3 ] && exit 0; stand; exit "$ZENITY_CANCEL""#
        let site = try Self.site(["zenity": script])
        expect(try site.ask("delete/7"), equals: Self.cancel)
        #expect(site.count("zenity") == 3)
    }

    /// Neither zenity nor kdialog reports its window, which can appear much later than the tool starts.
    @Test func anAnswerAfterTwoSecondsComesTooEarly() throws {
        let site = try Self.site(["zenity": #"asked "$@"; [ $n = 1 ] && sleep 2 && exit 0; stand; exit 0"#])
        expect(try site.ask("delete/7"), equals: Self.success)
        #expect(site.count("zenity") == 2)
    }

    @Test func aNotificationIsAskedAgainWithinASecondOfItsWindow() throws {
        let notify = #"asked "$@"; sleep 0.5; echo 12; [ $n = 1 ] || sleep 4; echo yes"#
        let site = try Self.site(["notify-send": notify, "busctl": #"echo 'as 1 "actions"'"#])
        expect(try site.ask("delete/7"), equals: Self.success)
        #expect(site.count("notify-send") == 2)
    }

    @Test func tenEarlyAnswersAreANo() throws {
        let site = try Self.site(["zenity": #"asked "$@""#])
        expect(try site.ask("delete/7"), equals: Self.cancel)
        #expect(site.count("zenity") == 10)
    }

    @Test func aToolThatFailsSaysNothing() throws {
        let zenity = #"asked "$@"; echo "cannot open display: " >&2; exit 1"#
        let site = try Self.site(["zenity": zenity, "kdialog": #"asked "$@"; kill -ABRT $$"#])
        let answer = try site.ask("delete/7")
        #expect(answer?.hasPrefix(failure(503) + "The%20user%20cannot%20be%20asked%20here%3B%20") == true)
        expect(try site.daemon.log) { $0.contains("the user cannot be asked here: zenity failed") }
        #expect(site.count("zenity") == 1 && site.count("kdialog") == 1)
        expect(try site.daemon.log) { $0.contains("cannot open display: ") }
    }

    @Test func theNextToolIsAskedInstead() throws {
        let site = try Self.site(["zenity": "exit 1", "kdialog": #"asked "$@"; stand; echo yes"#])
        expect(try site.ask("delete/%3Cb%3E%5Cn"), equals: Self.success)
        expect(try site.arguments("kdialog")) { $0.contains(">Delete {note} “&lt;b&gt;&#92;n”?\n\nThe program “") }
    }

    @Test func withoutADisplayNoDialogIsTried() throws {
        let site = try Self.site(["zenity": #"asked "$@"; stand"#], hasDisplay: false)
        let answer = try site.ask("delete/7")
        #expect(answer?.hasPrefix(failure(503) + "The%20user%20cannot%20be%20asked%20here%3B%20") == true)
        #expect(site.count("zenity") == 0)
        // The obstacle goes to the log, and not to the caller.
        expect(try site.daemon.log) {
            $0.contains("the user cannot be asked here: there is no display: neither DISPLAY")
        }
        let other = try Self.site([:])
        expect(try other.ask("delete/7")) { $0?.hasPrefix(failure(503)) == true }
        expect(try other.daemon.log) { $0.contains("neither zenity nor kdialog") }
    }

    /// A notification of sway or i3 cannot be answered: its buttons are not shown.
    @Test func withoutADisplayNoNotificationIsTried() async throws {
        let tools = ["notify-send": #"asked "$@"; stand; echo yes"#, "busctl": #"echo 'as 1 "actions"'"#]
        let site = try Self.site(tools, hasDisplay: false)
        // The service manager runs.
        mkdir(site.path(of: "run/systemd"), 0o700)
        close(creat(site.path(of: "run/systemd/private"), 0o600))
        let answer = try await Client(socket: site.daemon.socket).open("run:/delete/7")
        #expect(
            answer.response
                == .error(
                    CallbackError(.unavailable, "The user cannot be asked here; the daemon's log has the reason.")))
        #expect(
            answer.cause == "the user cannot be asked here: there is no display: run 'systemctl --user "
                + "import-environment DISPLAY WAYLAND_DISPLAY' in your desktop session; without a desktop, 'origin: [desktop, agent]' in "
                + "'confirm' lets it ask only about links and assistants")
        #expect(site.count("notify-send") == 0)
    }

    @Test func aQuestionNamesTheAssistant() async throws {
        let site = try Self.site(["zenity": #"asked "$@"; stand"#])
        let answer = try await Client(socket: site.daemon.socket).open("run:/assist", from: .agent)
        #expect(answer.url == Self.success)
        let asked = try site.arguments("zenity")
        #expect(asked.contains("--text=Sure?\n\nAn assistant asks for this (“"), "\(asked)")
        // Long names of programs break the lines elsewhere.
        #expect(asked.replacing("\n", with: "").replacing(" ", with: "").contains(",startedby“"), "\(asked)")
    }

    static let services: [(capabilities: String, answer: String)] = [
        (#"as 2 "actions" "body""#, success), (#"as 1 "body""#, failure(503)),
    ]

    @Test(arguments: services)
    func aNotificationAsksIfItHasButtons(capabilities: String, answer: String) throws {
        // It reports its window, so that a second is enough; its line may be read late.
        let notify = #"asked "$@"; sleep 0.5; echo 12; sleep 4; echo yes"#
        let site = try Self.site(
            ["notify-send": notify, "busctl": "echo '\(capabilities)'"])
        expect(try site.ask("delete/a%5Cb")) { $0?.hasPrefix(answer) == true }
        #expect(site.count("notify-send") == (answer == Self.success ? 1 : 0))
        guard answer == Self.success else { return }
        expect(try site.arguments("notify-send")) {
            $0.contains("--\nrun:/delete/:id – xcallback\nDelete {note} “a\\\\b”?\n\n")
        }
    }

    private static let notifying = ["busctl": #"echo 'as 1 "actions"'"#]

    /// notify-send goes on after a refusal: version 0.8.6 prints the error and the number 0, and 0.8.1 only the error.
    @Test(arguments: ["echo 0; exec sleep 600", "exec sleep 600"])
    func aRefusedNotificationIsShownAgain(rest: String) throws {
        let refuse = "{ echo 'GDBus.Error:a.B: Too many' >&2; \(rest); }"
        let notify = #"asked "$@"; [ $n = 2 ] || \#(refuse); sleep 0.5; echo 12; sleep 4; echo yes"#
        let site = try Self.site(Self.notifying.merging(["notify-send": notify]) { $1 })
        expect(try site.ask("delete/7"), equals: Self.success)
        #expect(site.count("notify-send") == 2)
        let other = try Self.site(Self.notifying.merging(["notify-send": #"asked "$@"; \#(refuse)"#]) { $1 })
        expect(try other.ask("delete/7")) { $0?.hasSuffix("install%20zenity%20or%20kdialog.") == true }
        #expect(other.count("notify-send") == 2)
        expect(try other.daemon.log) { $0.contains("zenity nor kdialog is installed, and notify-send failed") }
        expect(try other.daemon.log) { $0.contains("GDBus.Error:a.B: Too many") }
    }

    /// Any program of the session can press a notification's button, and no redirect hides an assistant.
    @Test(arguments: ["run:/assist", "run:/via"])
    func anAssistantIsNotAnsweredByANotification(url: String) async throws {
        let site = try Self.site(Self.notifying.merging(["notify-send": #"asked "$@"; sleep 4; echo yes"#]) { $1 })
        let answer = try await Client(socket: site.daemon.socket).open(url, from: .agent)
        let message = "The user cannot be asked here; install zenity or kdialog."
        #expect(answer.response == .error(CallbackError(.unavailable, message)))
        #expect(site.count("notify-send") == 0)
    }

    /// The server would show it until somebody closes it, and its buttons would do nothing.
    @Test(arguments: [false, true])
    func aNotificationEndsWithItsQuestion(isStopped: Bool) throws {
        // notify-send removes its notification on SIGINT.
        let script = """
            trap 'echo >"$HOME/closed"; exit' INT
            echo $$ >"$HOME/new"; mv "$HOME/new" "$HOME/process"
            while sleep 0.05; do :; done
            """
        let site = try Self.site(Self.notifying.merging(["notify-send": script]) { $1 })
        do {
            let client = try site.daemon.connect()
            try client.send("run:/delete/7\n")
            _ = try site.waitForProcess()
            // The second signal ends the drain. Otherwise, the caller leaves.
            if isStopped {
                site.daemon.process.send(signal: SIGTERM)
                try waitUntil("the daemon stops") { try site.daemon.log.contains("stopping") }
                _ = try site.daemon.stop()
            }
        }
        try waitUntil("the notification is removed") { access(site.path(of: "closed"), F_OK) == 0 }
    }

    @Test func onlyRequestsOfItsOriginAreAskedAbout() throws {
        let site = try Self.site(["zenity": #"asked "$@"; stand; exit "$ZENITY_ESC""#])
        expect(try site.ask("new/7"), equals: Self.success)
        #expect(site.count("zenity") == 0)
        expect(try site.handle("new/7"), equals: 3)
        let asked = try site.arguments("zenity")
        #expect(asked.hasSuffix("--text=New “7”?\n\nA link or a web page asks for this.\n"))
        #expect(asked.contains("--title=Create a note – xcallback\n"), "\(asked)")
    }

    @Test func anotherClickShowsTheOpenQuestionAgain() throws {
        let script = #"asked "$@"; stand; [ $n = 1 ] && : >"$HOME/old" && exec sleep 600; exit 0"#
        let site = try Self.site(["zenity": script])
        let first = try site.start(["handle", "--socket", site.daemon.socket, "--", "run:/new/7"])
        try site.wait { access(site.path(of: "old"), F_OK) == 0 }
        expect(try site.handle("new/7"), equals: 1)
        expect(try site.output) {
            $0.contains("The question about this action is still open: answer its window first.")
        }
        try site.wait { site.count("zenity") == 2 }
        expect(try first.wait(), equals: 0)
    }

    /// A page can open any number of links, about the action that a question is about, or about another one.
    @Test(arguments: ["new", "delete"])
    func clicksOfAPageAnswerNoQuestion(action: String) throws {
        let script = #"asked "$@"; stand; while [ -d "$HOME" ] && [ ! -e "$HOME/answer" ]; do sleep 0.05; done"#
        let site = try Self.site(["zenity": script])
        let own = try site.start(["handle", "--socket", site.daemon.socket, "--", "run:/\(action)/7"])
        try site.wait { site.count("zenity") == 1 }
        // The question about another action waits for its turn.
        let waiting = try RouterClient(site.daemon.socket)
        if action != "new" { try waiting.send("Open", ["url": "run:/new/8", "origin": "desktop"]) }
        expect(try site.ask("none")) { $0?.contains("errorCode=404") == true }
        let page = try RouterClient(site.daemon.socket)
        for _ in 0..<100 {
            expect(try page.call("Open", ["url": "run:/new/9", "origin": "desktop"])["code"]?.integer, equals: 429)
        }
        close(creat(site.path(of: "answer"), 0o600))
        expect(try own.wait(), equals: 0)
        expect(try site.arguments("zenity")) { $0.contains(" “7”?") }
        // A tool that begins while its folder is removed would never end.
        if action != "new" { expect(try waiting.reply()["outcome"]?.text, equals: "success") }
        #expect(site.count("zenity") == (action == "new" ? 1 : 2))
    }

    @Test func aQuestionThatNobodyAnswersTimesOut() throws {
        let site = try Self.site(["zenity": "exec sleep 600"])
        expect(try site.ask("short")) { $0?.hasPrefix(failure(504)) == true }
    }

    private static let waiting = #"echo $$ >"$HOME/new"; mv "$HOME/new" "$HOME/process"; exec sleep 600"#

    @Test func aQuestionEndsWithItsRequest() throws {
        let site = try Self.site(["zenity": Self.waiting])
        let process: Int32
        do {
            let client = try site.daemon.connect()
            try client.send("run:/delete/7\n")
            process = try site.waitForProcess()
        }
        try site.wait { kill(process, 0) < 0 && errno == ESRCH }
    }

    @Test func aSignalEndsTheQuestion() throws {
        let site = try Self.site(["zenity": Self.waiting])
        let command = try site.start(["ask", "Sure?"])
        let process = try site.waitForProcess()
        command.send(signal: SIGTERM)
        expect(try command.wait(), equals: 128 + SIGTERM)
        try site.wait { kill(process, 0) < 0 && errno == ESRCH }
    }

    @Test func oneQuestionIsAskedAtATime() throws {
        let zenity = """
            [ ! -e "$HOME/open" ] || asked both
            printf 1 >"$HOME/open"; stand; rm "$HOME/open"; exit 0
            """
        let site = try Self.site(["zenity": zenity])
        let clients = try (0..<3).map { _ in try site.daemon.connect() }
        for client in clients { try client.send("run:/delete/7\n") }
        for client in clients { expect(try client.readLine(), equals: Self.success) }
        #expect(site.count("zenity") == 0)
    }

    @Test func aScriptAsksToo() throws {
        let site = try Self.site(["zenity": #"asked "$@"; stand; [ -e "$HOME/no" ] && exit "$ZENITY_ESC"; exit 0"#])
        expect(try site.run(["ask", "--", "Delete {} and {}?", "--help", "--"]), equals: 0)
        let asked = try site.arguments("zenity")
        #expect(asked.contains("--title=xcallback\n") && asked.hasSuffix("--text=Delete “--help” and “--”?\n"))
        close(creat(site.path(of: "no"), 0o600))
        expect(try site.run(["ask", "Sure?"]), equals: 1)
        expect(try site.run(["ask", "Sure, {}?"]), equals: 64)
        expect(try site.run(["ask", "Sure}?"]), equals: 64)
        let lonely = try Self.site([:])
        expect(try lonely.run(["ask", "Sure?"]), equals: 69)
        expect(try lonely.output) {
            $0.hasPrefix("xcallback: the user cannot be asked here: neither zenity nor kdialog is ")
        }
    }
}
