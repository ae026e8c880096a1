import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The examples in `config/examples`, as users use them.
@Suite(.blocking)
struct ExampleTests {
    private static let success = "xcallback://x-callback-url/success"

    @Test func notesAreFilesOfAFolder() throws {
        let site = try ExampleSite("notes/notes.yaml", changes: [("rate: 6/m", "rate: 600/m")], program: "notes")
        expect(try site.ask("notes:/list"), equals: Self.success)
        expect(try site.ask("notes:/new?title=Milk&text=Two%20liters"), equals: Self.success)
        expect(try site.ask("notes:/new?title=-n%20%C3%84&text=--"), equals: Self.success)
        expect(try site.ask("notes:/append/Milk?text=$(id)%20%22%60"), equals: Self.success)
        expect(try site.text(of: "Notes/Milk.md"), equals: "Two liters\n$(id) \"`\n")
        expect(try site.ask("notes:/read/Milk"), equals: result("Two%20liters%0A%24%28id%29%20%22%60"))
        expect(try site.ask("notes:/read/-n%20%C3%84"), equals: result("--"))
        expect(try site.ask("notes:/list"), equals: "\(Self.success)?title=-n%20%C3%84&title=Milk")
        let taken = "There%20is%20a%20note%20with%20this%20title%20already."
        expect(try site.ask("notes:/new?title=Milk"), equals: failure(409) + taken)
        expect(try site.ask("notes:/append/Bread?text=a")) { $0?.hasPrefix(failure(410)) == true }
        expect(try site.ask("notes:/read/Bread")) { $0?.hasPrefix(failure(410)) == true }
        for title in ["", "..%2Fa", "a%2Fb", ".", "a%0Ab"] {
            expect(try site.ask("notes:/new?title=\(title)"), "\(title)") { $0?.hasPrefix(failure(422)) == true }
        }
    }

    @Test func tasksAreLinesOfAFile() throws {
        let site = try ExampleSite("todo/todo.yaml", program: "todo")
        expect(try site.ask("todo:/list"), equals: Self.success)
        expect(try site.ask("todo:/add?task=Water%20the%20plants&priority=A"), equals: "\(Self.success)?number=1")
        expect(try site.ask("todo:/add?task=-n%20%26%20a%3Db%20%C3%9C"), equals: "\(Self.success)?number=2")
        expect(try site.ask("todo:/add?task=a%0Ab")) { $0?.hasPrefix(failure(422)) == true }
        expect(try site.ask("todo:/add?task=a&priority=Z")) { $0?.hasPrefix(failure(422)) == true }
        expect(try site.text(of: "todo.txt"), equals: "(A) Water the plants\n-n & a=b Ü\n")
        expect(try site.ask("todo:/done/1"), equals: "\(Self.success)?task=%28A%29%20Water%20the%20plants")
        expect(try site.ask("todo:/list"), equals: "\(Self.success)?task=-n%20%26%20a%3Db%20%C3%9C")
        expect(try site.ask("todo:/done/2")) { $0?.hasPrefix(failure(410)) == true }
        expect(try site.ask("todo:/done/0")) { $0?.hasPrefix(failure(422)) == true }
        expect(try site.ask("todo:/done/1d")) { $0?.hasPrefix(failure(404)) == true }
        expect(try site.ask("todo:/done/1"), equals: "\(Self.success)?task=-n%20%26%20a%3Db%20%C3%9C")
        expect(try site.text(of: "todo.txt"), equals: "")
    }

    @Test func requestsThatComeTogetherLoseNoTask() throws {
        let site = try ExampleSite("todo/todo.yaml", program: "todo")
        let clients = try (0..<8).map { _ in try site.daemon.connect() }
        for (number, client) in clients.enumerated() { try client.send("todo:/add?task=\(number)\n") }
        let added = try clients.compactMap { try $0.readLine() }
        #expect(Set(added) == Set((1...8).map { "\(Self.success)?number=\($0)" }))
        for client in clients { try client.send("todo:/done/1\n") }
        let done = try clients.compactMap { try $0.readLine() }
        #expect(Set(done) == Set((0..<8).map { "\(Self.success)?task=\($0)" }))
    }

    @Test func aPageIsCapturedIfItsReaderSaysSo() throws {
        let zenity = #"printf '%s\n' "$@" >>"$HOME/asked"; sleep 3.2; [ -e "$HOME/yes" ] || exit "$ZENITY_CANCEL""#
        let site = try ExampleSite("capture.yaml", standIns: ["zenity": zenity], hasDisplay: true)
        let page = "org-protocol://capture?url=https%3A%2F%2Fexample.org%2F&title=An%20Example&body=*%20a%0A*%20b"
        close(creat(site.path(of: "yes"), 0o600))
        expect(try site.handle(page), equals: 0)
        let question = "Add “An Example” from “https://example.org/” to the inbox?"
        let asked = try site.text(of: "asked").replacing("\n", with: "")
        #expect(asked.hasSuffix("--text=\(question)A link or a web page asks for this."), "\(asked)")
        let entry = "* An Example\n  https://example.org/\n\n  * a\n  * b\n"
        expect(try site.text(of: "org/inbox.org"), equals: entry)
        unlink(site.path(of: "yes"))
        expect(try site.handle(page), equals: 3)
        expect(try site.text(of: "org/inbox.org"), equals: entry)
        unlink(site.path(of: "asked"))
        expect(try site.ask(page), equals: Self.success)
        expect(try site.text(of: "org/inbox.org"), equals: entry + entry)
        #expect(access(site.path(of: "asked"), F_OK) != 0)
        expect(try site.ask(page + "&title=b")) { $0?.hasPrefix(failure(422)) == true }
        expect(try site.ask("org-protocol://capture?url=x:y&title=a%0A*%20b")) { $0?.hasPrefix(failure(422)) == true }
        #expect(try (0..<30).contains { _ in try site.ask(page)?.hasPrefix(failure(429)) == true })
    }

    /// `QuestionTests` has what is shown of all others.
    private static let refusedAddresses = [
        "https:é\u{2028}", "https:a\nb", "https:a\tb", "https:a\u{1B}[2Jb", "https:a b", "https:\u{85}", "--help", "",
    ]

    @Test func anAddressIsOneWord() throws {
        let site = try ExampleSite("capture.yaml", changes: [("rate: 6/m", "rate: 600/m")])
        for address in Self.refusedAddresses {
            let answer = try site.ask("org-protocol://capture?url=\(address.percentEncoded)")
            #expect(answer?.hasPrefix(failure(422)) == true, "\(address)")
        }
    }

    static let clipboards: [(variables: [String], copy: String, paste: String)] = [
        (["WAYLAND_DISPLAY=wayland-0"], "wl-copy --foreground", "wl-paste --no-newline"),
        ([], "xclip -quiet -selection clipboard", "xclip -selection clipboard -out"),
    ]

    @Test(arguments: clipboards)
    func theClipboardIsCopiedToAndPastedFrom(variables: [String], copy: String, paste: String) throws {
        // Like the real tools, it holds the text until another program takes over the clipboard.
        let standIn = #"""
            case "${0##*/} $*" in
            '\#(copy)') cat >"$HOME/new" && mv "$HOME/new" "$HOME/text" && exec timeout 60 cat "$HOME/taken-over" ;;
            '\#(paste)') exec cat "$HOME/text" ;;
            *) exit 2 ;;
            esac
            """#
        let names = Set([copy, paste].compactMap { $0.split(separator: " ").first.map(String.init) })
        let site = try ExampleSite(
            "clipboard.yaml", standIns: Dictionary(uniqueKeysWithValues: names.map { ($0, standIn) }),
            variables: variables)
        let pipe = site.path(of: "taken-over")
        try #require(mkfifo(pipe, 0o600) == 0)
        expect(try site.ask("clipboard:/copy?text=-n%20$(id)%0A"), equals: Self.success)
        try site.wait { access(site.path(of: "text"), F_OK) == 0 }
        expect(try site.ask("clipboard:/paste"), equals: result("-n%20%24%28id%29"))
        try site.wait {
            let descriptor = open(pipe, O_WRONLY | O_NONBLOCK)
            defer { close(descriptor) }
            return descriptor >= 0
        }
    }

    private static let systemctl = #"""
        printf '%s\n' "$*" >>"$HOME/asked"
        [ "$1" != show ] || printf 'ActiveState=active\nSubState=running\n'
        """#

    @Test func aMemberOfTheGroupControlsServices() throws {
        let site = try ExampleSite(
            "services.yaml", changes: [("group: adm", "group: \(getegid())")], standIns: ["systemctl": Self.systemctl])
        expect(try site.ask("service:/nginx/status"), equals: "\(Self.success)?ActiveState=active&SubState=running")
        expect(try site.ask("service:/postgresql/restart"), equals: Self.success)
        let asked = "show --property=ActiveState,SubState -- nginx.service\nrestart -- postgresql.service\n"
        expect(try site.text(of: "asked"), equals: asked)
        for unit in ["ssh", "nginx.service", "--all", "nginx%20ssh"] {
            expect(try site.ask("service:/\(unit)/restart"), "\(unit)") { $0?.hasPrefix(failure(404)) == true }
        }
        #expect(try (0..<30).contains { _ in try site.ask("service:/nginx/restart")?.hasPrefix(failure(429)) == true })
    }

    @Test func nobodyElseControlsServices() throws {
        // A group without processes of this test.
        let site = try ExampleSite(
            "services.yaml", changes: [("group: adm", "group: 4000000000")], standIns: ["systemctl": Self.systemctl])
        for action in ["status", "restart"] {
            expect(try site.ask("service:/nginx/\(action)")) { $0?.hasPrefix(failure(403)) == true }
        }
        #expect(access(site.path(of: "asked"), F_OK) != 0)
    }

    @Test func aScreenshotIsFiledThroughItsCallback() throws {
        let site = try ExampleSite(
            "screenshots.yaml",
            standIns: ["grim": #"echo picture $(ls | wc -l) >"$1""#, "date": "echo 2026-01-31-120000"])
        let answer = try #require(try site.ask("shot:/take?x-success=album:/add%3Fto%3Dbills"))
        let name = try #require(answer.split(separator: "name=").last)
        #expect(answer == "album:/add?to=bills&name=\(name)")
        // The next picture of the same second replaces none.
        expect(try site.ask("shot:/take"), equals: "\(Self.success)?name=2026-01-31-120000-1.png")
        expect(try site.text(of: "Pictures/\(name)"), equals: "picture 0\n")
        expect(try site.ask(answer), equals: Self.success)
        expect(try site.text(of: "Pictures/bills/\(name)"), equals: "picture 0\n")
        #expect(access(site.path(of: "Pictures/\(name)"), F_OK) != 0)
        // What is not filed is no success.
        expect(try site.ask("shot:/take"), equals: "\(Self.success)?name=\(name)")
        close(creat(site.path(of: "Pictures/file"), 0o600))
        let refused = [
            ("to=..&name=\(name)", 422), ("to=a%2Fb&name=\(name)", 422), ("to=a&name=..%2Fb.png", 422),
            ("to=a&name=..", 422), ("to=a&name=1.png", 410), ("to=bills&name=\(name)", 409),
            ("to=file&name=\(name)", 1),
        ]
        for (query, code) in refused {
            expect(try site.ask("album:/add?\(query)"), "\(query)") { $0?.hasPrefix(failure(code)) == true }
        }
        expect(try site.text(of: "Pictures/\(name)"), equals: "picture 2\n")
    }
}
