import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// What a user's daemon keeps of what ran.
@Suite(.blocking)
struct HistoryTests {
    /// A secret that must not be in a file; each place has its own.
    private static func secret(_ number: Int) -> String { "PLANTED\(number)PLANTED" }

    private static func configuration(_ folder: String) -> String {
        """
        schemes: { notes: {}, pass: {}, https: { syntax: url }, geo: { syntax: text } }
        middleware: [strip]
        routes:
          - route: notes:/add/:place
            public: true
            agent: add
            description: Adds a note.
            effect: add
            input: { text: string, pin: { type: string, secret: true, required: false } }
            respond: { id: "7", text: "{text}" }
          - { route: notes:/list, agent: list, description: Lists., effect: read, respond: { title: "\(secret(1))x" }, returns: { title: { secret: true } } }
          - { route: notes:/fail, public: true, exec: [sh, -c, "echo \(secret(2)) >&2; exit 3"] }
          - { route: notes:/new, public: true, input: { text: string }, respond: { id: "7", text: "{text}" } }
          - { route: notes:/quiet, history: false, public: true, input: { text: string }, respond: { a: "{text}" } }
          - { route: pass:/show, public: true, respond: { password: "\(secret(3))" }, returns: { password: { secret: true } } }
          - { route: pass:/open, public: true, policies: [{ token: { file: "\(folder)/secret" } }], respond: { answer: "\(secret(5))" } }
          - { route: pass:/on, public: true, redirect: "notes:/add/there?text={text}" }
          - { route: notes:/private, input: { text: string }, respond: { text: "{text}" } }
          - { route: pass:/away, public: true, input: { pin: { type: string, secret: true } }, redirect: "notes:/new?text={pin}" }
          - { route: pass:/echo, public: true, input: { pin: { type: string, secret: true } }, respond: { echo: "{pin}" } }
          - { route: pass:/item, public: true, respond: { text: "\(secret(6))" }, returns: { text: { secret: true } } }
          - { route: pass:/untold, history: false, public: true, respond: { text: "\(secret(7))" } }
          - route: pass:/checked
            public: true
            input: { pin: { type: string, secret: true } }
            policies: [{ exec: [sh, -c, "echo pin $XCALLBACK_PARAM_PIN >&2; exit 1"] }]
            respond: { a: b }
          - { route: notes:/once, exec: [sh, -c, "mkdir \(folder)/once || exit 130"], output: none }
          - { route: notes:/code, exec: [sh, -c, "mkdir \(folder)/code && exit 3; exit 4"] }
          - { route: "https://example.org{/*rest}", public: true, respond: { seen: yes } }
          - { route: "geo:*text", public: true, respond: { seen: yes } }
          - { route: notes:/large, input: { a: string, b: string, c: string }, respond: }
          - { route: notes:/agreed, policies: [{ confirm: ["true"] }], redirect: "notes:/asked" }
          - { route: notes:/asked, policies: [{ confirm: "Really?" }], respond: }
        """
    }

    private let daemon: RunningDaemon
    private let site: DesktopSite
    private var state: String { daemon.directory.path(of: "state") }

    init() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.secret(4), to: "secret")
        chmod(directory.path(of: "secret"), 0o600)
        daemon = try RunningDaemon(starting: Self.configuration(directory.path), in: directory)
        try daemon.waitUntilReady()
        site = try DesktopSite(socket: daemon.socket)
    }

    private func xcallback(_ words: String...) throws -> DesktopSite.Result {
        try site.run(words: ["xcallback"] + words, environment: ["XDG_STATE_HOME=\(state)"])
    }

    /// The files, once the daemon has written what it had to write.
    private func files(afterCount count: Int) throws -> String {
        let script = "cat '\(state)'/xcallbackd/history*.jsonl 2>/dev/null"
        for _ in 0..<300 {
            let text = try site.run("sh", "-c", script).output
            if text.split(separator: "\n").count >= count { return text }
            usleep(100_000)
        }
        throw TestFailure("the history has fewer than \(count) lines: \(try site.run("sh", "-c", script).output)")
    }

    @Test func secretsAreNotKeptWhateverTheDoor() throws {
        var (number, opened) = (10, 0)
        func secret() -> String {
            number += 1
            return Self.secret(number)
        }
        let line = try LineClient(daemon.socket)
        let watched = try site.start(["xcallback", "monitor", "--values", "--json"], to: "monitor")
        defer { watched.send(signal: SIGTERM) }
        for command in ["open", "handle"] {
            let urls = [
                "notes:/add/here?text=kept&pin=\(secret())&code=\(secret())&utm_source=\(secret())&x-success=app:/done?k=\(secret())",
                "notes:/quiet?text=\(secret())", "notes:/nothing/\(secret())?a=\(secret())",
                "notes:/fail?token=\(secret())",
                "pass:/show?q=\(secret())", "pass:/open?token=\(Self.secret(4))&q=\(secret())",
                "pass:/open?token=\(secret())", "pass:/on?text=\(secret())",
                "notes:/new?text=a&\(secret())", "https://example.org/reset?\(secret())",
                "pass:/away?pin=\(secret())", "pass:/echo?pin=\(secret())", "pass:/checked?pin=\(secret())",
                "pass:/mistyped?pin=\(secret())", "notes:/new?text=\(secret())%ZZ",
                "pass:/item?x-success=notes:/new?text=", "pass:/untold?x-success=notes:/new?text=",
                // The answer with the password becomes the value of another route.
                "pass:/show?x-success=notes:/add/there?text=",
                "https://ann@example.org/cb/\(secret())?code=\(secret())#\(secret())",
                "geo:\(secret())", "xcallback://x-callback-url/\(secret())/success?code=\(secret())",
            ]
            for url in urls {
                // A request that is not kept leaves nothing for one that never came to its values.
                _ = try line.ask("notes:/new?text=\(secret())")
                _ = try xcallback("handle", "notes:/private?text=a")
                _ = try xcallback(command, url)
            }
            opened += 2 * urls.count
        }
        let assistant = try AssistantClient(of: daemon.socket)
        try assistant.initialize()
        _ = try assistant.call("add", ["place": "x", "text": "kept by an assistant", "pin": .string(secret())])
        _ = try assistant.call("list")
        let ofAssistants = "state/xcallbackd/history-assistants.jsonl"
        try waitUntil("what the assistant asked is kept") {
            (try? daemon.directory.text(of: ofAssistants))?.split(separator: "\n").count == 2
        }
        let text = try files(afterCount: opened - 10)
        #expect(!text.contains("PLANTED"), "\(text.split(separator: "\n").filter { $0.contains("PLANTED") })")
        #expect(
            text.contains("\"name\":\"text\",\"value\":\"kept\"") && text.contains("kept by an assistant"), "\(text)")
        #expect(text.contains("\"url\":\"https://example.org\"") && text.contains("\"omitted\":["), "\(text)")
        #expect(!text.contains("notes:/quiet"))
        // Whoever looks at values sees those of requests without secrets, and of no other.
        let events = try site.directory.text(of: "monitor").split(separator: "\n").filter { event in
            ["pass:/away", "pass:/echo", "pass:/checked", "pass:/item"].contains { event.contains($0) }
        }
        #expect(!events.isEmpty && !events.contains { $0.contains("PLANTED") }, "\(events)")
    }

    @Test func theListShowsWhatRanAndRunsItAgain() throws {
        _ = try xcallback("open", "notes:/new?text=Milk")
        for _ in 0..<3 { _ = try xcallback("open", "notes:/list") }
        _ = try xcallback("open", "notes:/new?text=a%1Bb%E2%80%AEc")
        _ = try xcallback("handle", "notes:/nothing")
        let text = try files(afterCount: 4)
        let list = try xcallback("history")
        expect(list.status, equals: 0)
        let lines = list.output.split(separator: "\n")
        try #require(lines.count == 4, "\(list.output) of \(text)")
        #expect(lines[0].hasSuffix("  socket   ok   notes:/new text=Milk"), "\(lines[0])")
        #expect(lines[1].contains("notes:/list ×3"), "\(lines[1])")
        #expect(lines[2].contains("a<U+001B>b<U+202E>c"), "\(lines[2])")
        #expect(lines[3].contains("desktop") && lines[3].contains("404"), "\(lines[3])")
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(list.output)")
        let id = String(lines[0].prefix { $0 != " " })
        let whole = try xcallback("history", id).output
        #expect(whole.contains("\nvalues    ") && whole.hasSuffix("answer    id=7 text=Milk\n"), "\(whole)")
        expect(try xcallback("history", id, "--again").status, equals: 64)
        let again = try xcallback("history", id, "--again", "--yes")
        expect(again.output, equals: "id=7\ntext=Milk\n")
        for (line, filter) in [
            (3, ["--failed", "--origin", "desktop"]), (1, ["--since", "1h", "--route", "notes:/list"]),
        ] {
            let output = try site.run(
                words: ["xcallback", "history"] + filter, environment: ["XDG_STATE_HOME=\(state)"]
            )
            .output
            expect(output.split { " \n".contains($0) }, equals: lines[line].split(separator: " "))
        }
        #expect(try xcallback("status", "--json").output.contains("\"dropped\":0"))
        expect(try xcallback("history", "--clear").status, equals: 0)
        expect(try xcallback("history").output, equals: "The history has no entries that are to be shown.\n")
    }

    @Test func anotherOutcomeIsNotRepeated() throws {
        for status in [0, 3] as [Int32] { expect(try xcallback("open", "notes:/once").status, equals: status) }
        expect(try files(afterCount: 2)) { $0.contains(#""outcome":"cancel""#) }
        for _ in 1...2 { expect(try xcallback("open", "notes:/code").status, equals: 1) }
        expect(try files(afterCount: 4)) { $0.contains(#""code":3"#) && $0.contains(#""code":4"#) }
    }

    @Test func aRequestWithManyValuesLeavesSomeOut() throws {
        let values = ["a", "b", "c"].map { "\($0)=\(String(repeating: "x", count: 4000))" }.joined(separator: "&")
        expect(try xcallback("open", "notes:/large?\(values)").status, equals: 0)
        expect(try files(afterCount: 1)) { $0.contains(#""omitted":["c"]"#) }
    }

    /// The yes was to another question.
    @Test func aQuestionThatNobodySawWasNotAllowed() throws {
        expect(try xcallback("open", "notes:/agreed").status) { $0 != 0 }
        expect(try files(afterCount: 1)) { $0.contains(#""route":"notes:/asked""#) && !$0.contains(#""allowed""#) }
    }

    @Test func whatWasClearedDoesNotComeBack() throws {
        for _ in 1...2 { expect(try xcallback("handle", "notes:/new?text=cleared").status, equals: 0) }
        _ = try files(afterCount: 1)
        expect(try xcallback("history", "--clear").status, equals: 0)
        for text in ["cleared", "later"] {
            expect(try xcallback("handle", "notes:/new?text=\(text)").status, equals: 0)
        }
        let kept = try files(afterCount: 1)
        #expect(!kept.contains("cleared") && !kept.contains(#""again""#) && kept.contains("later"), "\(kept)")
    }

    /// A request is not counted as the repetition of one that an answer has made: the values of that one are not kept.
    @Test func aFollowUpIsNotRepeated() throws {
        let client = try RouterClient(daemon.socket)
        let urls = ["notes:/private?text=a&x-success=notes%3A%2Fnew", "notes:/new?text=a", "notes:/new?text=a"]
        for url in urls {
            _ = try client.call("Open", ["url": .string(url), "follow": .bool(true), "caller": "a test"])
        }
        let lines = try files(afterCount: 3).split(separator: "\n")
        let kept = lines.map { line in [#""route":"notes:/new""#, #""values""#, #""again""#].map { line.contains($0) } }
        #expect(kept[1] == [true, false, false] && kept[2] == [true, true, false], "\(lines)")
    }

    @Test(arguments: ["2026-02-31", "2026-1-1-x", "2026-11-28 25:61", "2026-13-01", "2026-11", "tomorrow", "1"])
    func aMomentThatDoesNotExistIsRefused(text: String) throws {
        expect(try xcallback("history", "--since", text).status, equals: 64)
    }

    @Test(arguments: ["2024-02-29", "2026-11-28 23:59", "yesterday", "today", "90m"])
    func aMomentIsUnderstood(text: String) throws {
        expect(try xcallback("history", "--since", text).status, equals: 0)
    }

    /// Entries keep their order when the clock is set back, and those of assistants are put among them by time.
    @Test func theListKeepsTheOrderOfEachFile() throws {
        func lines(_ entries: [(time: Int, id: String)]) -> String {
            entries.map { #"{"time":\#($0.time),"id":"\#($0.id)","origin":"socket","outcome":"success"}"# + "\n" }
                .joined()
        }
        mkdir(state, 0o700)
        mkdir("\(state)/xcallbackd", 0o700)
        try daemon.directory.write(lines([(200, "b"), (100, "c")]), to: "state/xcallbackd/history.jsonl")
        try daemon.directory.write(lines([(150, "a")]), to: "state/xcallbackd/history-assistants.jsonl")
        let ids = try xcallback("history").output.split(separator: "\n").map { $0.prefix(1) }
        expect(ids, equals: ["a", "b", "c"])
    }

    /// A filter gets whole lines.
    @Test func aTerminalGetsLinesOfItsWidth() throws {
        let text = String(repeating: "long", count: 30)
        _ = try xcallback("open", "notes:/new?text=\(text)")
        _ = try files(afterCount: 1)
        expect(try xcallback("history").output) { $0.hasSuffix(" notes:/new text=\(text)\n") }
        let words = ["script", "-qec", "stty cols 100; xcallback history", "/dev/null"]
        let shown = try site.run(words: words, environment: ["XDG_STATE_HOME=\(state)"]).output
        #expect(shown.hasSuffix("…\r\n") && shown.count == 101, "\(shown.count) \(shown)")
    }

    /// A value that is not kept could only be guessed.
    @Test(arguments: [
        ("add/here?text=Milk&pin=1234", "add/:place place=here text=Milk pin=…"),
        ("new?text=Milk&a=b", "new text=Milk …"),
    ])
    func whatWasNotKeptDoesNotRunAgain(url: String, action: String) throws {
        _ = try xcallback("open", "notes:/\(url)")
        let id = try files(afterCount: 1).split(separator: "\"")[5]
        let result = try xcallback("history", String(id), "--again", "--yes")
        expect(
            result.output,
            equals:
                "xcallback: it cannot run again: the history does not have all its values: notes:/\(action)\n")
    }

    /// The requests go on without a disk.
    @Test func aDiskThatCannotBeWrittenDropsAndCounts() throws {
        try daemon.directory.write("a file where the folder should be", to: "state")
        for number in 0..<5 {
            expect(try xcallback("open", "notes:/add/here?text=\(number)", "--value", "id").output, equals: "7\n")
        }
        let doctor = try xcallback("doctor", "--json").output
        #expect(doctor.contains("5 entries were dropped"), "\(doctor)")
    }

    private func callList() throws {
        let assistant = try AssistantClient(of: daemon.socket)
        try assistant.initialize()
        _ = try assistant.call("list")
    }

    @Test func theConfigurationSaysWhatIsKept() throws {
        try daemon.reload(Self.configuration(daemon.directory.path) + "\nhistory: { origins: [agent], keep: 30d }\n")
        _ = try xcallback("open", "notes:/add/here?text=Milk")
        try callList()
        #expect(try !files(afterCount: 1).contains("Milk"))
        try daemon.reload(Self.configuration(daemon.directory.path) + "\nhistory: false\n")
        try callList()
        expect(try files(afterCount: 1).split(separator: "\n").count, equals: 1)
    }
}
