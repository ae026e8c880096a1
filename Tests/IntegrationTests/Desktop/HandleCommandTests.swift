import Glibc
import Testing
import XCallback
import XCallbackTesting

/// `xcallback handle`, started by the real desktop tools.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct HandleCommandTests {
    private static let configuration = """
        schemes: [notes]
        callbacks: { allow: [done] }
        routes:
          - { route: notes:/echo, public: true, respond: { text: "{text}" } }
          - { route: notes:/fail, public: true, exec: [sh, -c, "echo '{{\\"code\\": 12, \\"message\\": \\"<b>No & no\\"}}' >&2; exit 9"] }
          - { route: notes:/no, public: true, exec: [sh, -c, "exit 130"] }
          - { route: notes:/private, respond: { secret: 1 } }
        """

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
        let daemon = try RunningDaemon(Self.configuration)
        let site = try DesktopSite(socket: daemon.socket)
        try site.install("done", for: ["done"], script: "tell \"$1\"")
        #expect(try site.run("xcallback", "register", "notes", "--default").status == 0)
        for (written, meant) in Self.texts {
            let url = "notes://x-callback-url/echo?text=\(written)&x-success=done://ok?id=7%23end"
            try site.start(words + [url], environment: environment, to: "log").wait()
            #expect(try site.hear() == Callback("done://ok?id=7#end").url(adding: ["text": meant]))
        }
        #expect(!site.directory.contains("owned"))
        #expect(!site.hasMore)
        #expect(try daemon.stop() == 0)
    }

    /// A URL, the exit status of the command, and its notification, if any.
    static let endings: [(url: String, status: Int32, notice: String?)] = [
        ("notes:/echo?text=a", 0, nil), ("notes:/no", 3, nil),
        ("notes:/fail", 1, "--app-name=xcallback -- notes: error 12 &lt;b&gt;No &amp; no"),
        (
            "notes:/private", 5,
            "error 403 This action is private: the desktop may ask only for routes with 'public: true'."
        ),
        ("notes:/echo?text=a&x-success=notes:/private", 5, "error 403 This action is private"),
        ("notes:/nope", 6, "error 404 No route answers this action."),
        (
            "notes:/eco", 6,
            "error 404 No route answers this action. the closest route is notes:/echo, but it has 'echo'"
        ),
        ("other:/nope", 6, "other: error 404 No application answers this scheme here."),
        ("notes:/echo?text=a&x-success=other:/x", 1, "error 400 The callback in 'x-success'"),
        ("notes:/fail?x-error=notes:/echo?text=seen", 0, nil),
    ]

    @Test func anErrorThatNobodyIsNamedForIsTold() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "notify-send", script: "tell \"$@\"")
        for (url, status, notice) in Self.endings {
            // An earlier notification would delay this one.
            try site.run("rm", "-rf", "\(site.directory.path)/run/xcallbackd/notices")
            let result = try site.run("xcallback", "handle", "--", url)
            #expect(result.status == status, "\(url)")
            #expect(result.output.isEmpty == (notice == nil), "\(url)")
            if let notice { #expect(try site.hearAll().contains(notice), "\(url)") }
            #expect(!site.hasMore, "\(url)")
        }
        #expect(try daemon.stop() == 0)
    }

    /// The user who has clicked sees it, and neither the journal nor an application.
    @Test func theReasonOfAProgramIsInTheNotification() throws {
        let daemon = try RunningDaemon(
            """
            schemes: [notes]
            routes:
              - { route: notes:/gone, public: true, exec: [sh, -c, 'printf "No note <7>.\\033" >&2; exit 4'] }
            """)
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "notify-send", script: "tell \"$@\"")
        let result = try site.run("xcallback", "handle", "--", "notes:/gone")
        let message = "The program ended with status 4."
        #expect(result.output == "xcallback: notes: error 4\n\(message)\nNo note <7>.<U+001B>\n")
        #expect(try site.hear() == "--app-name=xcallback -- notes: error 4 \(message)")
        #expect(try site.hear() == "No note &lt;7&gt;.&lt;U+001B&gt;")
    }

    static let openers: [(opener: String, reason: String)] = [
        ("false", "'false' ended with status 1"), ("not-there", "cannot run 'not-there': No such file or directory"),
    ]

    @Test(arguments: openers)
    func aCallbackThatCannotBeOpenedIsTold(opener: String, reason: String) throws {
        let daemon = try RunningDaemon(Self.configuration)
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "notify-send", script: "tell \"$@\"")
        let result = try site.run(
            "xcallback", "handle", "--opener", opener, "--", "notes:/echo?text=secret&x-success=done:/ok")
        #expect(result.status == 1)
        #expect(result.output.contains("the callback could not be opened: \(reason)"), "\(result.output)")
        #expect(!result.output.contains("secret"))
        #expect(try site.hear().contains(reason))
        #expect(try daemon.stop() == 0)
    }

    @Test func aCallbackIsOpenedWithoutItsError() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "opener", script: "tell \"$*\"")
        let result = try site.run(
            "xcallback", "handle", "--", "notes:/fail?x-error=done:/e", environment: ["XCALLBACK_OPENER=opener"])
        // The parent learns of the failure from the status; the user learns of it from the application that the URL names.
        #expect(result.status == 1)
        #expect(result.output == "")
        #expect(try site.hear() == "done:/e?errorCode=12&errorMessage=%3Cb%3ENo%20%26%20no")
        #expect(try daemon.stop() == 0)
    }

    @Test func aURLThatComesBackIsNotHandledAgain() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "notify-send", script: "tell \"$@\"")
        // The desktop considers the command the handler of a scheme that is not the daemon's.
        try site.run("xcallback", "register", "notes", "done")
        try site.start(["xdg-open", "notes:/echo?text=a&x-success=done:/ok"], to: "log").wait()
        #expect(try site.hear().contains("done: the URL was not handled the desktop sends the URL back"))
        #expect(try daemon.stop() == 0)
    }

    @Test func aDaemonThatIsNotThereIsTold() throws {
        let site = try DesktopSite(socket: "/nonexistent/socket")
        try site.install(program: "notify-send", script: "tell \"$@\"")
        #expect(try site.run("xcallback", "handle", "--", "notes:/echo").status == 7)
        #expect(try site.hear().contains("cannot reach the daemon at '/nonexistent/socket'"))
        #expect(try site.run("xcallback", "handle").status == 64)
    }

    @Test func manyErrorsAreTwoNotifications() throws {
        let daemon = try RunningDaemon(Self.configuration)
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "notify-send", script: "tell \"$@\"")
        for number in 1...20 {
            #expect(try site.run("xcallback", "handle", "--", "notes:/no\(number)").status == 6)
        }
        #expect(try site.hearAll().contains("notes: error 404 No route answers this action."))
        let sum = "notes: 19 URLs were not handled The last: error 404: No route answers this action."
        #expect(try site.hearAll().hasPrefix("--app-name=xcallback -- \(sum)"))
        // Notifications of another application appear immediately, and so do later ones of this one.
        #expect(try site.run("xcallback", "handle", "--", "other:/x").status == 6)
        #expect(try site.hearAll().contains("other: error 404"))
        #expect(!site.hasMore)
        #expect(try daemon.stop() == 0)
    }
}
