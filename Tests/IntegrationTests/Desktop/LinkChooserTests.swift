import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Links of the web that are clicked outside of a browser: the example `links`, with browsers that tell what they get.
@Suite(.blocking)
struct LinkChooserTests {
    private static let entry = "org.xcallback.Router.desktop"
    private static let pages = ["x-scheme-handler/http", "x-scheme-handler/https", "text/html"]

    /// A user with two browsers, of which Firefox is the default.
    private static func makeSite() throws -> SetupSite {
        let site = try SetupSite()
        try site.home.write(
            textOfPackageFile("config/examples/links.yaml"), to: "prefix/share/xcallbackd/examples/links.yaml")
        for name in ["firefox", "chromium"] {
            try site.site.install(name, for: ["http", "https"], script: "report \"\(name) $*\"")
        }
        try site.home.write(
            pages.reduce("[Default Applications]\n") { $0 + "\($1)=firefox.desktop\n" }, to: ".config/mimeapps.list")
        try site.installServiceManager()
        return site
    }

    @Test func theChooserTakesTheLinksAndGivesThemBack() throws {
        let site = try Self.makeSite()
        let before = try site.contents()
        let result = try site.setup("links", "--yes")
        #expect(result.status == 0, "\(result.output)")
        for line in [
            "registered    https: xcallback has it\n",
            "links is set up. Next:\n  xcallback explain https://github.com/acme/app\n",
        ] {
            #expect(result.output.contains(line), "\(line) in \(result.output)")
        }
        #expect(!result.output.contains("warning"), "\(result.output)")
        let rules = try site.home.text(of: ".config/xcallbackd/routes.d/links.yaml")
        #expect(
            rules.contains(
                "https://*link\n    title: Open a page\n    public: true\n    exec: [\(site.home.path)/bin/firefox, \"{@url}\"]"
            ))
        let file = site.home.path(of: ".local/share/applications/\(Self.entry)")
        expect(try site.run("desktop-file-validate", file).output, equals: "")
        let text = try site.home.text(of: ".local/share/applications/\(Self.entry)")
        #expect(text.contains("\nCategories=Network;WebBrowser;\n") && !text.contains("NoDisplay"))
        #expect(
            text.contains("MimeType=x-scheme-handler/http;x-scheme-handler/https;text/html;application/xhtml+xml;\n"))
        #expect(text.contains("/xcallback handle --browser firefox.desktop -- %u\n"))
        for (type, owner) in zip(Self.pages, [Self.entry, Self.entry, "firefox.desktop"]) {
            expect(try site.run("xdg-mime", "query", "default", type).output, equals: "\(owner)\n")
            expect(try site.run("gio", "mime", type).output) { $0.contains(": \(owner)\n") }
        }
        for link in ["https://github.com/acme/app#readme", "https://meet.example.org/a/", "http://example.org"] {
            for opener in [["xdg-open"], ["gio", "open"]] {
                expect(try site.run(opener + [link]).status, equals: 0)
                let browser =
                    link.contains("acme")
                    ? "firefox -P work" : link.contains("meet") ? "chromium --new-window" : "firefox"
                expect(try site.site.nextReport(), equals: "\(browser) \(link)")
            }
        }
        expect(try site.setup("links").output) { $0.hasPrefix("links is already set up. ") }
        let undone = try site.run("xcallback", "remove", "links")
        #expect(undone.status == 0, "\(undone.output)")
        // The history is the user's.
        expect(try site.run("xcallback", "history", "--clear").status, equals: 0)
        expect(try site.contents(), equals: before)
        expect(
            try site.run("xdg-mime", "query", "default", "x-scheme-handler/https").output, equals: "firefox.desktop\n")
    }

    @Test func withoutABrowserNothingIsSetUp() throws {
        let site = try SetupSite()
        try site.home.write(
            textOfPackageFile("config/examples/links.yaml"), to: "prefix/share/xcallbackd/examples/links.yaml")
        try site.giveAway()
        let before = try site.contents()
        let result = try site.run("env", "XDG_DATA_DIRS=/nonexistent", "xcallback", "setup", "links", "--yes")
        #expect(result.status == 1)
        #expect(result.output.hasPrefix("xcallback: no browser opens https: links here"), "\(result.output)")
        expect(try site.contents(), equals: before)
    }

    /// A home with a browser that tells what it gets, and another one that rules start.
    private static func makeHome(socket: String, firefox: String = "report \"$@\"") throws -> DesktopSite {
        let site = try DesktopSite(socket: socket)
        try site.install("firefox", for: ["https"], script: firefox)
        try site.install(program: "notify-send", script: "printf '%s\\n' \"$*\" >>\"$HOME/notices\"; echo 7")
        return site
    }

    /// Hands a link over, and again if a busy machine takes longer than the five seconds that a link waits.
    private static func handle(_ link: String, in site: DesktopSite) throws -> DesktopSite.Result {
        while true {
            let result = try site.run("xcallback", "handle", "--browser", "firefox.desktop", "--", link)
            // These never get an answer.
            if link.hasPrefix("https://hangs.") || link.hasPrefix("https://killed.") { return result }
            guard result.output.contains("did not answer within 5 s") else { return result }
            _ = try site.nextReport()
            unlink(site.directory.path(of: "notices"))
        }
    }

    /// Links that a chooser can damage, and the browsers that the example's rules choose for them.
    static let links: [(url: String, browser: String)] = [
        ("https://example.org/guide#part-2", "firefox"), ("http://localhost:3000/", "firefox"),
        ("https://example.org", "firefox"), ("https://ann@example.org/", "firefox"),
        ("https://ann:pass@example.org/", "firefox"), ("https://b\u{fc}cher.example/", "firefox"),
        ("https://github.com/./acme", "firefox -P work"), ("https://github.com/acme/../evil", "firefox"),
        ("https://files.example.org/a.pdf?X-Amz-Date=20260101T000000Z&X-Amz-Signature=0aF9%2B", "firefox"),
        ("https://web.archive.org/web/2020/https://example.org/a//b?c=d", "firefox"),
        ("https://Example.Org:8443/Path/README.md?Q=A#Top", "firefox"),
        ("https://example.org/r?to=https%3A%2F%2Fother.example%2F%3Fa%3Db&x-success=app:done", "firefox"),
        ("https://[2001:db8::7]/a%20b/caf\u{E9}/q|r/{id}/$(id)?p=100%&j={\"a\":[1]}&s=`id`&=v#a#b", "firefox"),
        ("HTTPS://GITHUB.com/acme/app/?a=b+c", "firefox -P work"), ("https://github.com/swiftlang/swift", "firefox"),
        ("https://a.b.acme.example/it's", "firefox -P work"), ("https://acme.example.evil.example/", "firefox"),
        ("https://meet.example.org:443/room//7/", "chromium --new-window"),
        ("https://calendar.example.org/r?authuser=1", "firefox -P work"),
        ("https://calendar.example.org/r?authuser=2", "firefox"),
    ]

    @Test func linksArriveByteForByte() throws {
        let directory = try TemporaryDirectory()
        for name in ["firefox", "chromium"] {
            let script = "#!/bin/sh\nprintf '%s\\n' \"\(name) $*\" >>\(directory.path)/opened\n"
            chmod(try directory.write(script, to: "bin/\(name)"), 0o755)
        }
        try directory.write("", to: "opened")
        let daemon = try RunningDaemon(
            starting: textOfPackageFile("config/examples/links.yaml"), in: directory,
            preparation: "export PATH=\(directory.path)/bin:/usr/bin:/bin")
        try daemon.waitUntilReady()
        let site = try Self.makeHome(socket: daemon.socket, firefox: "report fallback")
        for (link, browser) in Self.links {
            let result = try Self.handle(link, in: site)
            #expect(result.status == 0 && result.output == "", "\(link): \(result.output)")
            try waitUntil("\(browser) opens \(link)") {
                try directory.text(of: "opened").hasSuffix("\(browser) \(link)\n")
            }
        }
        #expect(!site.hasMore && !site.directory.contains("notices"))
    }

    private static let rules = """
        schemes: { https: { syntax: url } }
        callbacks: { allow: ["https://www.example.org"] }
        routes:
          - { route: https://fails.example, public: true, exec: [sh, -c, "exit 3", sh, "{@url}"] }
          - { route: https://hangs.example, public: true, exec: [sleep, "600"] }
          - { route: https://private.example, respond: {} }
          - { route: "https://moved.example{/*path}", public: true, redirect: "https://www.example.org/{path}" }
          - { route: https://no.example, public: true, exec: [sh, -c, "exit 130"] }
          - { route: https://missing.example, public: true, exec: [no-such-browser, "{@url}"], detach: true }
          - { route: https://wrong.example, public: true, exec: [sh, -c, "echo unknown option >&2; exit 1"], detach: true }
          - { route: https://slow.example, public: true, exec: [sh, -c, "sleep 0.2; exit 1"], detach: true }
          - { route: https://crashes.example, public: true, exec: [sh, -c, "kill -SEGV $$"], detach: true }
          - { route: https://lasts.example, public: true, exec: [sleep, "20"], detach: true }

        """

    static let refused: [(link: String, reason: String)] = [
        ("https://fails.example/", "The program ended with status 3. (3)"),
        ("https://hangs.example/", "the daemon did not answer within 5 s"),
        ("https://missing.example/", "program 'no-such-browser' is not in the PATH"),
        ("https://wrong.example/", "unknown option"), ("https://slow.example/", "ended with status 1. (1)"),
        ("https://crashes.example/", "signal 11 ended the program"), ("https://private.example/", "(403)"),
        ("https://other.example/a b?c=%zz#d", "No route answers this action. (404)"),
        ("https://other.example/\\a", "a backslash"), ("http://other.example/", "no action has the scheme 'http'"),
        ("HTTPS://[::1/", "(400)"), ("https://ann:pass@fails.example/", "\"@password\": { required: false } under its"),
    ]

    @Test func whatNoRuleOpensTheBrowserOpens() throws {
        let daemon = try RunningDaemon(Self.rules)
        let site = try Self.makeHome(socket: daemon.socket)
        for (link, reason) in Self.refused {
            let result = try Self.handle(link, in: site)
            #expect(result.status == 0, "\(link): \(result.output)")
            expect(try site.nextReport(), equals: link)
            let notice = try site.directory.text(of: "notices")
            #expect(notice.contains("firefox opened the link: ") && notice.contains(reason), "\(link): \(notice)")
            #expect(result.output.contains(reason), "\(link): \(result.output)")
            unlink(site.directory.path(of: "notices"))
        }
        expect(try Self.handle("https://moved.example/a", in: site).output, equals: "")
        expect(try site.nextReport(), equals: "https://www.example.org/a")
        // Pages in files, and the browser itself, are no matter of the rules.
        for page in ["file:///tmp/a.html", "/tmp/a b.html"] {
            expect(try Self.handle(page, in: site).output, equals: "")
            expect(try site.nextReport(), equals: page)
        }
        expect(try site.run("xcallback", "handle", "--browser", "firefox.desktop").status, equals: 0)
        expect(try site.nextReport(), equals: "")
        // A browser runs as long as its user likes.
        expect(try Self.handle("https://lasts.example/", in: site).output, equals: "")
        // The user has said no.
        expect(try Self.handle("https://no.example/", in: site).status, equals: 0)
        #expect(!site.hasMore && !site.directory.contains("notices"))
    }

    @Test func withoutTheDaemonTheBrowserOpensAllLinks() throws {
        let daemon = try RunningDaemon(Self.rules + "  - { route: 'https://*all', public: true, respond: {} }\n")
        let site = try Self.makeHome(socket: daemon.socket)
        func check(_ state: String, _ reason: String) throws {
            let link = "https://\(state).example/?a#b"
            let result = try Self.handle(link, in: site)
            #expect(result.status == 0, "\(result.output)")
            expect(try site.nextReport(), equals: link)
            #expect(result.output.contains("firefox opened the link: \(reason)"), "\(result.output)")
        }
        expect(try Self.handle("https://runs.example/", in: site).output, equals: "")
        try daemon.process.pause()
        try check("hangs", "the daemon did not answer within 5 s")
        daemon.process.send(signal: SIGCONT)
        expect(try Self.handle("https://runs-again.example/", in: site).output, equals: "")
        #expect(try daemon.stop(with: SIGKILL) != 0)
        try check("killed", "")
        unlink(daemon.socket)
        try check("absent", "cannot reach the daemon")
        let faulty = try RunningDaemon(starting: "schemes: [https\n", in: daemon.directory)
        expect(try faulty.process.wait(), equals: 78)
        try check("faulty", "cannot reach the daemon")
        #expect(!site.hasMore)
    }

    @Test func aBrowserThatIsGoneIsReplaced() throws {
        let site = try Self.makeHome(socket: "/nonexistent")
        try site.install("other", for: ["https"], script: "report \"other $*\"")
        let gone = try site.run("xcallback", "handle", "--browser", "gone.desktop", "--", "https://a.example/")
        #expect(gone.status == 0, "\(gone.output)")
        #expect(["https://a.example/", "other https://a.example/"].contains(try site.nextReport()))
    }

    @Test func aLinkThatComesThreeTimesGoesToTheBrowser() throws {
        let daemon = try RunningDaemon(
            "schemes: { https: { syntax: url } }\nroutes: [{ route: 'https://*all', public: true, respond: {} }]\n")
        let site = try Self.makeHome(socket: daemon.socket)
        let words = ["xcallback", "handle", "--browser", "firefox.desktop", "--", "https://twice.example/"]
        let handlers = try (1...3).map { try site.start(words, to: "output-\($0)") }
        expect(try handlers.map { try $0.wait() }, equals: [0, 0, 0])
        let outputs = try (1...3).map { try site.directory.text(of: "output-\($0)") }.filter { $0 != "" }
        #expect(outputs == ["xcallback: https: firefox opened the link: the same link has come 3 times within 2 s\n"])
        expect(try site.nextReport(), equals: "https://twice.example/")
        #expect(!site.hasMore)
    }

    /// The time of arrivals is that since the system's start.
    @Test func arrivalsBeforeARestartOfTheSystemDoNotCount() throws {
        let daemon = try RunningDaemon(
            "schemes: { https: { syntax: url } }\nroutes: [{ route: 'https://*all', public: true, respond: {} }]\n")
        let site = try Self.makeHome(socket: daemon.socket)
        expect(try Self.handle("https://again.example/", in: site).output, equals: "")
        let file = "run/xcallbackd/links"
        let words = try site.directory.text(of: file).split(separator: " ")
        let late = "\(try #require(words.first))0000 \(try #require(words.last))"
        try site.directory.write(String(repeating: late, count: 9), to: file)
        expect(try Self.handle("https://again.example/", in: site).output, equals: "")
        expect(try site.directory.text(of: file)) { $0.split(separator: "\n").count == 1 }
        #expect(!site.hasMore)
    }

    @Test func aBrowserThatSendsLinksBackIsStopped() throws {
        let site = try Self.makeHome(socket: "/nonexistent", firefox: "report \"$1\"; exec gio open \"$1\"")
        let configuration = "schemes: { https: { syntax: url } }\nroutes: [{ route: 'https://*all', respond: {} }]\n"
        let file = try site.directory.write(configuration, to: "config.yaml")
        expect(try site.run("xcallback", "register", "https", "--default", "--config", file).status, equals: 0)
        _ = try Self.handle("https://round.example/", in: site)
        for _ in 1...9 { expect(try site.nextReport(), equals: "https://round.example/") }
        try waitUntil("the user is notified") {
            try site.directory.text(of: "notices").contains("the link goes round in a circle: firefox sends it back")
        }
        #expect(!site.hasMore)
    }
}
