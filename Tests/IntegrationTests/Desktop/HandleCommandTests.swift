import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// `xcallback handle`, started by the real desktop tools.
@Suite(.blocking)
struct HandleCommandTests {
    private static let configuration = """
        schemes: [notes]
        callbacks: { allow: [done] }
        routes:
          - { route: notes:/echo, public: true, respond: { text: "{text}" } }
          - { route: notes:/fail, public: true, exec: [sh, -c, "echo '{{\\"code\\": 12, \\"message\\": \\"<b>No & no\\"}}' >&2; exit 9"] }
          - { route: notes:/no, public: true, exec: [sh, -c, "exit 130"] }
          - { route: notes:/gone, public: true, exec: [sh, -c, 'printf "No note <7>.\\033" >&2; exit 4'] }
          - { route: notes:/private, respond: { secret: 1 } }
        """

    private let daemon: RunningDaemon
    private let site: DesktopSite

    init() throws {
        daemon = try RunningDaemon(Self.configuration)
        site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "notify-send", script: "report \"$@\"")
    }

    static let roads: [(words: [String], environment: [String])] = [
        (["gio", "open"], []), (["xdg-open"], []), (["xdg-open"], ["XDG_CURRENT_DESKTOP=GNOME"]),
        (["xdg-open"], ["XDG_CURRENT_DESKTOP=XFCE"]),
    ]

    /// Text in a URL, and its meaning.
    static let texts: [(written: String, meant: String)] = [
        ("plain", "plain"), ("a%20b%26c%3Dd%25e%23f", "a b&c=d%e#f"),
        ("it's \"quoted\" twice  ", "it's \"quoted\" twice  "),
        ("$(touch%20owned);`touch owned`|cat>owned", "$(touch owned);`touch owned`|cat>owned"),
        ("a%0Ab%0D%0Ac%09", "a\nb\r\nc\t"), ("é—日本%F0%9F%8E%89", "é—日本🎉"), ("%25u%25f%2525", "%u%f%25"),
        ("*[a-z]?<b>{}^~!\\n", "*[a-z]?<b>{}^~!\\n"), ("a+b", "a+b"), ("--opener=x", "--opener=x"),
    ]

    @Test(arguments: roads)
    func theHandlerGetsWhatTheURLSays(words: [String], environment: [String]) throws {
        try site.install("done", for: ["done"], script: "report \"$1\"")
        expect(try site.run("xcallback", "register", "notes", "--default").status, equals: 0)
        for (written, meant) in Self.texts {
            let url = "notes://x-callback-url/echo?text=\(written)&x-success=done://ok?id=7%23end"
            try site.start(words + [url], environment: environment, to: "log").wait()
            expect(try site.nextReport(), equals: try Callback("done://ok?id=7#end").url(adding: ["text": meant]))
        }
        #expect(!site.directory.contains("owned"))
        #expect(!site.hasMore)
    }

    /// A URL, the exit status of the command, and its notification, if any.
    static let endings: [(url: String, status: Int32, notice: String?)] = [
        ("notes:/echo?text=a", 0, nil), ("notes:/no", 3, nil),
        ("notes:/fail", 1, "--app-name=xcallback --print-id -- notes &lt;b&gt;No &amp; no (12)"),
        // The user who has clicked sees the reason of a program, and neither the journal nor an application.
        ("notes:/gone", 1, "notes No note &lt;7&gt;.&lt;U+001B&gt; (4)"),
        (
            "notes:/private", 5,
            "notes This action is private: the desktop may ask only for routes with 'public: true'. (403)"
        ),
        ("notes:/echo?text=a&x-success=notes:/private", 5, "notes This action is private"),
        ("notes:/nope", 6, "notes No route answers this action. (404)"),
        (
            "notes:/eco", 6,
            "notes No route answers this action. (404) cause: the closest route is notes:/echo, but it has 'echo'"
        ),
        ("other:/nope", 6, "other no action has the scheme 'other' (404)"),
        ("notes:/echo?text=a&x-success=other:/x", 1, "notes The callback in 'x-success'"),
        ("notes:/fail?x-error=notes:/echo?text=seen", 0, nil),
    ]

    @Test func anErrorThatNobodyIsNamedForIsReported() throws {
        for (url, status, notice) in Self.endings {
            // An earlier notification would delay this one.
            try site.run("rm", "-rf", "\(site.directory.path)/run/xcallbackd/notices")
            let result = try site.run("xcallback", "handle", "--", url)
            #expect(result.status == status, "\(url)")
            #expect(result.output.isEmpty == (notice == nil), "\(url)")
            if let notice { expect(try site.allReports(), "\(url)") { $0.contains(notice) } }
            #expect(!site.hasMore, "\(url)")
        }
    }

    static let openers: [(opener: String, reason: String)] = [
        ("false", "'false' ended with status 1"), ("not-there", "cannot run 'not-there': No such file or directory"),
    ]

    @Test(arguments: openers)
    func aCallbackThatCannotBeOpenedIsReported(opener: String, reason: String) throws {
        let result = try site.run(
            "xcallback", "handle", "--opener", opener, "--", "notes:/echo?text=secret&x-success=done:/ok")
        #expect(result.status == 1)
        #expect(result.output.contains("the callback could not be opened: \(reason)"), "\(result.output)")
        #expect(!result.output.contains("secret"))
        expect(try site.nextReport()) { $0.contains(reason) }
    }

    @Test func aCallbackIsOpenedWithoutItsError() throws {
        try site.install(program: "opener", script: "report \"$*\"")
        let result = try site.run(
            "xcallback", "handle", "--", "notes:/fail?x-error=done:/e", environment: ["XCALLBACK_OPENER=opener"])
        // The parent learns of the failure from the status; the user learns of it from the application that the URL names.
        #expect(result.status == 1)
        #expect(result.output == "")
        expect(try site.nextReport(), equals: "done:/e?errorCode=12&errorMessage=%3Cb%3ENo%20%26%20no")
    }

    @Test func aURLThatComesBackIsNotHandledAgain() throws {
        // The desktop considers the command the handler of a scheme that is not the daemon's.
        try site.run("xcallback", "register", "notes", "done")
        try site.start(["xdg-open", "notes:/echo?text=a&x-success=done:/ok"], to: "log").wait()
        expect(try site.nextReport()) { $0.contains("done the desktop sends the URL back") }
    }

    @Test func aDaemonThatIsNotThereIsReported() throws {
        let site = try DesktopSite(socket: "/nonexistent/socket")
        try site.install(program: "notify-send", script: "report \"$@\"")
        expect(try site.run("xcallback", "handle", "--", "notes:/echo").status, equals: 7)
        expect(try site.nextReport()) { $0.contains("cannot reach the daemon at '/nonexistent/socket'") }
        expect(try site.run("xcallback", "handle").status, equals: 64)
    }

    /// A page can send any number of URLs, also with the scheme in capitals.
    @Test func manyErrorsAreOneNotification() throws {
        try site.install(program: "notify-send", script: "report \"$@\"; echo 7")
        let first = "--app-name=xcallback --print-id -- notes No route answers this action. (404)"
        let next = "--app-name=xcallback --print-id --replace-id=7 -- "
        for number in 1...3 {
            expect(try site.run("xcallback", "handle", "--", "\(number == 2 ? "NOTES" : "notes"):/x").status, equals: 6)
            let report = try site.nextReport()
            #expect(number == 1 ? report == first : report.hasPrefix(next), "\(report)")
            #expect(number == 1 || report.contains(": \(number) URLs were not handled No route"), "\(report)")
        }
        // Another application has a notification of its own.
        expect(try site.run("xcallback", "handle", "--", "other:/x").status, equals: 6)
        expect(try site.nextReport()) { $0.hasPrefix("--app-name=xcallback --print-id -- other ") }
        #expect(!site.hasMore)
    }

    /// libnotify before 0.7.10 cannot replace a notification, and many would fill the screen.
    @Test func aToolThatCannotReplaceShowsTheFirst() throws {
        let script = "case $* in *--print-id*) exit 1 ;; *) report \"$@\" ;; esac"
        try site.install(program: "notify-send", script: script)
        for _ in 1...3 { expect(try site.run("xcallback", "handle", "--", "notes:/x").status, equals: 6) }
        expect(try site.nextReport(), equals: "--app-name=xcallback -- notes No route answers this action. (404)")
        #expect(!site.hasMore)
    }

    @Test func aSuccessIsShownWhereTheRouteSaysSo() throws {
        let daemon = try RunningDaemon(
            """
            schemes: [notes]
            routes:
              - { route: "notes:/save/:title", public: true, respond: { a: b }, notify: "Saved {title} <{{}}>" }
              - { route: notes:/chain, public: true, respond: { title: t }, notify: Chained }
              - { route: notes:/no, public: true, exec: ["false"], notify: Never }
            """)
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "notify-send", script: "report \"$@\"; echo 7")
        let options = "--app-name=xcallback --print-id"
        expect(try site.run("xcallback", "handle", "--", "notes:/save/Milk").status, equals: 0)
        expect(try site.nextReport(), equals: "\(options) -- notes Saved Milk &lt;{}&gt;")
        expect(try site.run("xcallback", "handle", "--", "notes:/chain?x-success=notes:/save/x").status, equals: 0)
        expect(try site.nextReport(), equals: "\(options) --replace-id=7 -- notes (2) Chained")
        // Other clients see their answer, and a failure is reported as one.
        expect(try site.run("xcallback", "open", "notes:/save/Milk").output, equals: "a=b\n")
        expect(try site.run("xcallback", "handle", "--", "notes:/no").status, equals: 1)
        expect(try site.nextReport()) { $0.hasPrefix("\(options) -- notes The program ended with status 1.") }
        #expect(!site.hasMore)
    }

    /// The question of an earlier click may be hidden behind the browser.
    @Test func aClickBesideAnOpenQuestionGetsANotice() throws {
        let directory = try TemporaryDirectory()
        let gate = directory.path(of: "gate")
        mkfifo(gate, 0o600)
        let daemon = try RunningDaemon(
            """
            schemes: [notes]
            routes:
              - route: notes:/a
                public: true
                policies: [{ confirm: [sh, -c, "echo open >\(gate); read -r end <\(gate)"] }]
                respond: { a: b }
            """)
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "notify-send", script: "report \"$@\"")
        let first = try site.start(["xcallback", "handle", "--", "notes:/a"], to: "first")
        expect(try textOfFile(gate), equals: "open\n")
        for _ in 1...3 {
            let next = try site.run("xcallback", "handle", "--", "notes:/a")
            let sentence = "The question about this action is still open: answer its window first."
            #expect(next.output == "xcallback: notes: \(sentence) (429)\n")
        }
        try site.run("sh", "-c", "echo >\(gate)")
        expect(try first.wait(), equals: 0)
    }
}
