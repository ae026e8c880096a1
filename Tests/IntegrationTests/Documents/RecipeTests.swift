import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The recipes for links that other programs define, and for everyday actions, as users use them.
@Suite(.blocking)
struct RecipeTests {
    private static let success = "xcallback://x-callback-url/success"

    /// A program that keeps its arguments, one a line, in a file with its name.
    private static let recorder = #"printf '%s\n' "$@" >"$HOME/new" && mv "$HOME/new" "$HOME/${0##*/}.arguments""#

    /// Starts a daemon with a recipe whose programs keep their arguments.
    private static func makeSite(_ file: String, recording programs: [String]) throws -> ExampleSite {
        try ExampleSite(
            file, changes: [],
            standIns: Dictionary(uniqueKeysWithValues: programs.map { ($0, recorder) }))
    }

    private typealias Link = (link: String, argument: String?)
    /// Links, and the last arguments of the program that opens them; nil if no program may get them.
    private static let links: [(file: String, program: String, options: [String], links: [Link])] = [
        (
            "ssh.yaml", "x-terminal-emulator", ["-e", "ssh"],
            [
                ("ssh://ada@host.example.org", "-l\nada\n--\nhost.example.org"),
                ("ssh://host.example.org:2222", "-p\n2222\n--\nhost.example.org"),
                ("ssh://ada@10.0.0.5:22/", "-l\nada\n-p\n22\n--\n10.0.0.5"),
                ("ssh://[2001:db8::7]", "--\n2001:db8::7"),
                ("ssh:ada@host.example.org", "--\nada@host.example.org"), ("ssh://-oProxyCommand=id@host", nil),
                ("ssh:-oProxyCommand=id", nil), ("ssh://host/path", nil), ("ssh://ann:%0aid@host", nil),
                ("ssh://ann:x@host", nil), ("ssh:ann:x@host", nil), ("ssh://a%20b@host", nil), ("ssh://-l@host", nil),
            ]
        ),
        (
            "mpv.yaml", "mpv", ["--force-window", "--"],
            [
                ("mpv://https://a.example/watch?v=b&t=3", "https://a.example/watch?v=b&t=3"),
                ("mpv://https//a.example/watch?v=b", "https://a.example/watch?v=b"),
                ("mpv:https://a.example/#c", "https://a.example/#c"),
                ("mpv:///https://a.example/", "https://a.example/"),
                ("mpv:file:///etc/passwd", nil), ("mpv:--script=a", nil),
            ]
        ),
        (
            "editor.yaml", "code", ["--goto"],
            [
                ("editor:/open?file=/etc/passwd&line=3", "/etc/passwd:3:1"),
                ("editor:/open?file=/etc/passwd&line=3&column=9", "/etc/passwd:3:9"),
                ("editor:/open?file=--wait", nil), ("editor:/open?file=/nowhere/a", nil),
            ]
        ),
    ]

    @Test func eachLinkReachesItsProgram() throws {
        for (file, program, options, links) in Self.links {
            let site = try Self.makeSite(file, recording: [program])
            let kept = site.path(of: "\(program).arguments")
            for (link, argument) in links {
                let answer = try site.ask(link)
                guard let argument else {
                    #expect(answer?.hasPrefix("xcallback://x-callback-url/error") == true, "\(link)")
                    #expect(access(kept, F_OK) != 0, "\(link)")
                    continue
                }
                #expect(answer == Self.success, "\(link)")
                try site.wait { access(kept, F_OK) == 0 }
                let expected = (options + [argument]).map { "\($0)\n" }.joined()
                expect(try site.text(of: "\(program).arguments"), equals: expected, "\(link)")
                unlink(kept)
            }
        }
    }

    @Test func aTorrentIsAddedAndItsIdIsTheAnswer() throws {
        // A stand-in for aria2: it keeps what it is asked, and answers as aria2 does.
        let curl = """
            while [ $# -gt 1 ]; do [ "$1" != --json ] || printf '%s\\n' "$2" >"$HOME/asked"; shift; done
            printf '%s' "$1" >"$HOME/address"
            printf '{"id":null,"jsonrpc":"2.0","result":"2089b05ecca3d829"}'
            """
        let site = try ExampleSite("magnet.yaml", standIns: ["curl": curl])
        let answer = try site.ask("magnet:?xt=urn:btih:0123&amp;dn=a\"b\\c&amp;tr=udp://t.example:80")
        #expect(answer == "\(Self.success)?jsonrpc=2.0&result=2089b05ecca3d829")
        expect(try site.text(of: "address"), equals: "http://localhost:6800/jsonrpc")
        let asked = #"[["magnet:?xt=urn:btih:0123&dn=a%22b%5Cc&tr=udp://t.example:80"]]"#
        expect(try site.text(of: "asked")) { $0.contains("\"params\": \(asked)") }
        expect(try site.ask("magnet:?dn=a")) { $0?.hasPrefix("xcallback://x-callback-url/error?errorCode=422") == true }
    }

    @Test func pagesAreReadLater() throws {
        let site = try Self.makeSite("later.yaml", recording: ["xdg-open"])
        expect(try site.ask("later:/list"), equals: Self.success)
        expect(
            try site.ask("later:/add?url=https%3A%2F%2Fa.example%2F%3Fb%26c&title=An%20example"), equals: Self.success)
        // Some editors leave out the end of the last line.
        expect(try ChildProcess.run(["/usr/bin/truncate", "--size=-1", site.path(of: "later.txt")]).status, equals: 0)
        expect(try site.ask("later:/add?url=http%3A%2F%2Fb.example%2F"), equals: Self.success)
        expect(try site.ask("later:/add?url=file%3A%2F%2F%2Fetc%2Fpasswd")) { $0?.contains("errorCode=422") == true }
        expect(try site.ask("later:/add?url=https%3Aa&title=b%0Ac")) { $0?.contains("errorCode=422") == true }
        expect(try site.text(of: "later.txt"), equals: "https://a.example/?b&c\tAn example\nhttp://b.example/\t\n")
        let listed = try site.ask("later:/list")
        #expect(
            listed
                == "\(Self.success)?page=An%20example%20https%3A%2F%2Fa.example%2F%3Fb%26c&page=%20http%3A%2F%2Fb.example%2F"
        )
        expect(
            try site.ask("later:/next"),
            equals: "\(Self.success)?title=An%20example&url=https%3A%2F%2Fa.example%2F%3Fb%26c")
        let opened = site.path(of: "xdg-open.arguments")
        try site.wait { access(opened, F_OK) == 0 }
        expect(try site.text(of: "xdg-open.arguments"), equals: "https://a.example/?b&c\n")
        expect(try site.ask("later:/next"), equals: "\(Self.success)?title=&url=http%3A%2F%2Fb.example%2F")
        expect(try site.ask("later:/next")) { $0?.contains("errorCode=410") == true }
    }

    @Test func aPageThatIsNotOpenedStaysInTheList() throws {
        let site = try ExampleSite(
            "later.yaml", standIns: ["xdg-open": #"[ -e "$HOME/screen" ] && echo "$1" >>"$HOME/opened""#])
        for number in 1...3 { _ = try site.ask("later:/add?url=https%3A\(number)&title=%5Cn\(number)") }
        let list = try site.text(of: "later.txt")
        expect(try site.ask("later:/next")) { $0?.contains("errorCode=503&errorMessage=xdg-open") == true }
        expect(try site.text(of: "later.txt"), equals: list)
        // Two requests at a time open two pages.
        close(creat(site.path(of: "screen"), 0o600))
        let clients = try (1...2).map { _ in try site.daemon.connect() }
        for client in clients { try client.send("later:/next\n") }
        let answers = try clients.compactMap { try $0.readLine() }
        #expect(Set(answers) == Set((1...2).map { "\(Self.success)?title=%5Cn\($0)&url=https%3A\($0)" }))
        expect(try site.text(of: "opened"), equals: "https:1\nhttps:2\n")
        expect(try site.text(of: "later.txt"), equals: "https:3\t\\n3\n")
    }

    @Test func theBrowserStaysWhenThePageHasLeftTheList() throws {
        let browser =
            #"mkfifo "$HOME/closed"; echo "$1" >"$HOME/opened"; read -r _ <"$HOME/closed"; echo >"$HOME/ended""#
        let site = try ExampleSite("later.yaml", standIns: ["xdg-open": browser])
        for number in 1...2 { expect(try site.ask("later:/add?url=https%3A\(number)"), equals: Self.success) }
        expect(try site.ask("later:/next"), equals: "\(Self.success)?title=&url=https%3A1")
        try site.wait { access(site.path(of: "opened"), F_OK) == 0 }
        expect(try site.text(of: "later.txt"), equals: "https:2\t\n")
        // The browser does not hold the lock.
        expect(try site.ask("later:/add?url=https%3A3"), equals: Self.success)
        let pipe = open(site.path(of: "closed"), O_WRONLY)
        close(pipe)
        try site.wait { access(site.path(of: "ended"), F_OK) == 0 }
    }

    private typealias Change = (file: String, program: String?, first: String, change: String, kept: String)
    /// Requests that change a file, and a request before them.
    private static let changes: [Change] = [
        ("notes/notes.yaml", "notes", "notes:/new?title=a&text=b", "notes:/append/a?text=c", "Notes/a.md"),
        ("notes/notes.yaml", "notes", "notes:/new?title=a&text=b", "notes:/new?title=c&text=d", "Notes/c.md"),
        ("todo/todo.yaml", "todo", "todo:/add?task=a", "todo:/add?task=b", "todo.txt"),
        ("todo/todo.yaml", "todo", "todo:/add?task=a", "todo:/done/1", "todo.txt"),
        ("later.yaml", nil, "later:/add?url=https%3Aa", "later:/add?url=https%3Ab", "later.txt"),
        ("later.yaml", nil, "later:/add?url=https%3Aa", "later:/next", "later.txt"),
        (
            "capture.yaml", nil, "org-protocol:/capture?url=https%3Aa", "org-protocol:/capture?url=https%3Ab",
            "org/inbox.org"
        ),
        ("events.yaml", nil, "events:/add?event=%7B%7D", "events:/add?event=%7B%22a%22%3A1%7D", "events.jsonl"),
        ("screenshots.yaml", nil, "album:/add?to=a&name=1.png", "shot:/take", "Pictures/a"),
    ]

    /// The examples that keep nothing on a disk.
    private static let keepingNothing = [
        "gate/gate",
        "clipboard", "demo", "editor", "links", "magnet", "mpv", "obsidian", "services", "ssh", "timer",
    ]

    @Test func eachExampleThatKeepsSomethingIsTriedOnAFullDisk() {
        let files = packageFiles(below: "config/examples", endingIn: ".yaml")
        let tried =
            Self.changes.map { "config/examples/\($0.file)" } + Self.keepingNothing.map { "config/examples/\($0).yaml" }
        #expect(Set(files) == Set(tried))
    }

    @Test(.enabled(if: geteuid() == 0, "only root may mount a disk"))
    func onAFullDiskTheOldFileIsWholeAndTheAnswerIsAnError() throws {
        for (file, program, first, change, kept) in Self.changes {
            let site = try ExampleSite(
                file, program: program,
                standIns: ["xdg-open": #"echo >"$HOME/opened""#, "grim": #"printf '%04000d' 0 >"$1""#], diskSize: "64k")
            _ = try site.ask(first)
            let before = try? site.text(of: kept)
            try site.fillDisk()
            let answer = try site.ask(change)
            #expect(answer?.hasPrefix("xcallback://x-callback-url/error?") == true, "\(change): \(answer ?? "")")
            #expect((try? site.text(of: kept)) == before, "\(change)")
            let folder = site.path(of: String(kept.prefix(upTo: kept.lastIndex(of: "/") ?? kept.startIndex)))
            #expect(try !namesInFolder(folder).contains { $0.hasSuffix("new") || $0.hasSuffix(".png") }, "\(change)")
            #expect(access(site.path(of: "opened"), F_OK) != 0)
            unlink(site.path(of: "filler"))
            expect(try site.ask(change), "\(change)") { $0?.hasPrefix(Self.success) == true }
            #expect((try? site.text(of: kept)) != before || change == "shot:/take", "\(change)")
        }
    }

    @Test func aTimerIsStartedAndStopped() throws {
        let site = try Self.makeSite("timer.yaml", recording: ["systemd-run", "systemctl"])
        expect(try site.ask("timer:/start?name=tea&minutes=5"), equals: Self.success)
        let arguments = try site.text(of: "systemd-run.arguments")
        #expect(arguments.contains("--unit=xcallback-timer-tea\n--on-active=5m\n"), "\(arguments)")
        #expect(arguments.hasSuffix("notify-send\n--\ntea\nThe time is up.\n"), "\(arguments)")
        expect(try site.ask("timer:/stop?name=tea"), equals: Self.success)
        expect(try site.text(of: "systemctl.arguments"), equals: "--user\nstop\nxcallback-timer-tea.timer\n")
        for query in ["name=a%20b&minutes=5", "name=tea&minutes=0", "name=tea", "name=-a&minutes=5"] {
            expect(try site.ask("timer:/start?\(query)"), "\(query)") { $0?.contains("errorCode=422") == true }
        }
    }

    @Test func anActionTakesJSON() throws {
        let site = try ExampleSite("events.yaml")
        let event = #"{"drink": "coffee & milk", "cups": 2}"#.percentEncoded
        expect(try site.ask("events:/add?event=\(event)"), equals: Self.success)
        let answer = try #require(try site.ask("events:/last"))
        #expect(answer.hasSuffix("&drink=coffee%20%26%20milk&cups=2"), "\(answer)")
        expect(try site.ask("events:/add?event=%7B")) { $0?.contains("errorCode=422") == true }
    }

    @Test func orgProtocolOfOldVersionsIsReadAndTheRestIsRefused() throws {
        let site = try ExampleSite("capture.yaml")
        expect(try site.ask("org-protocol://capture:/L/https%3A%2F%2Fa.example%2F/A%20title/b"), equals: Self.success)
        expect(try site.ask("org-protocol:/capture:/L/https%3A%2F%2Fa.example%2F/B"), equals: Self.success)
        expect(try site.ask("org-protocol://capture?template=L&url=https://a.example/wiki&body="), equals: Self.success)
        let entries = [
            "* A title\n  https://a.example/\n\n  b\n", "* B\n  https://a.example/\n\n\n",
            "* Untitled\n  https://a.example/wiki\n\n\n",
        ]
        expect(try site.text(of: "org/inbox.org"), equals: entries.joined())
        for action in ["store-link?url=https:a&title=b", "roam-ref?template=r&ref=https:a"] {
            expect(try site.ask("org-protocol://\(action)")) {
                $0?.contains("errorCode=501&errorMessage=Only%20Emacs") == true
            }
        }
    }
}
