import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// Links that lack values (`ask: true`), with the real daemon and the real command; the dialogs are stand-ins.
@Suite(.blocking)
struct LinkFormTests {
    private static let routes = """
          - route: run:/connect
            public: true
            agent: connect
            description: Connects.
            title: Connect
            ask: true
            input:
              host: { max-length: 20000 }
              user: { description: The name there }
              port: { type: int, default: 22, max: 70000 }
              tags: { type: list, required: false }
            respond: { told: "{host} {user} {port} {tags}" }
          - route: run:/sure
            public: true
            ask: true
            policies: [{ confirm: { text: "Connect to {host} as {user}?", origin: desktop } }]
            input: { host: string, user: string }
            respond: { told: "{host} {user}" }
          - { route: "run:/short/:host", public: true, redirect: "run:/connect?host={host}" }
        """

    /// zenity or kdialog that answers its calls in turn: `yes`, `no`, or values; `!` before one means at once.
    private static func tool(_ answers: [String], no: String = #"exit "$ZENITY_CANCEL""#) -> String {
        let cases = answers.enumerated().map { index, answer in
            let text = answer.drop { $0 == "!" }
            let end = text == "no" ? no : "printf '\(text.replacing("^", with: #"\037"#))\\n'"
            return "\(index + 1)) \(answer.hasPrefix("!") ? "" : "stand; ")\(end);;"
        }
        return #"asked "$@"; case $n in \#(cases.joined(separator: " ")) *) exit 1;; esac"#
    }

    private static let known = "Run the action run:/connect?\nhost: “a”\n"
    private static let question = "\(known)\nYes opens a form for: user, port, tags\n\n"
    private static let cancel = Response.cancel
    private static func told(_ text: String) -> Response { .success(["told": text]) }

    static let links: [(link: String, answers: [String], response: Response, asked: [String])] = [
        // The values of the link stand in the form, and no field has one.
        (
            "connect?host=a", ["yes", "b^^x,y"], told("a b 22 x,y"),
            [
                "--title=Connect – xcallback\n--ok-label=Yes\n--cancel-label=No\n--text=\(question)A link or a web page",
                "--forms\n--title=Connect\n--text=\(known)--separator=\u{1F}\n--add-entry=user: The name there\n"
                    + "--add-entry=port: int to 70000 (default: 22)\n--add-entry=tags: list of string, optional\n",
            ]
        ),
        ("connect?host=a&user=b", [], told("a b 22 "), []),
        ("connect?host=a&user", ["yes", "b^1^"], told("a b 1 "), []),
        ("short/a", ["yes", "b^^"], told("a b 22 "), [question]),
        ("connect?host=a", ["no"], cancel, [question]), ("connect?host=a", ["yes", "no"], cancel, []),
        // What comes too early is forgotten: nothing is in the form that comes again.
        (
            "connect?host=a", ["!yes", "yes", "!c^^", "b^^"], told("a b 22 "),
            ["", "", "--add-entry=user: The name there\n", "--add-entry=user: The name there\n"]
        ),
        (
            "connect?host=a", ["yes", "^x^", "b", "7"], told("a b 7 "),
            ["", "", "must be given", "must be a whole number"]
        ),
        // One question: that of the policy.
        (
            "sure?host=a", ["yes", "b"], told("a b"),
            [
                "Connect to “a” as …?\n\nYes opens a form for: user\n",
                "--text=Connect to “a” as …?\n\nuser:",
            ]
        ),
        ("sure?host=a&user=b", ["yes"], told("a b"), ["Connect to “a” as “b”?\n"]),
        ("sure?more=1&other=2", ["yes", "a^b"], told("a b"), ["Connect to … as …?\nThe link has 2 other values.\n"]),
        // Nothing is asked if a value is wrong.
        (
            "connect?host=a&port=x", [],
            .error(CallbackError(.badParameter, "Parameter 'port' must be a whole number.")), []
        ),
    ]

    @Test(arguments: links.indices)
    func aLinkThatLacksValuesAsks(index: Int) async throws {
        let row = Self.links[index]
        let site = try QuestionSite(Self.routes, tools: ["zenity": Self.tool(row.answers)])
        let daemon = Client(socket: site.daemon.socket)
        let response = try await daemon.open("run:/\(row.link)", from: .desktop).response
        #expect(response == row.response)
        #expect(site.count("zenity") == row.answers.count)
        for (number, text) in row.asked.enumerated() {
            let asked = try site.arguments("zenity", number + 1)
            #expect(asked.contains(text), "\(asked)")
        }
        guard response == .cancel else { return }
        // The action rests.
        let again = try await daemon.open("run:/\(row.link)", from: .desktop).response
        #expect(again.isRefusedForNow, "\(again)")
        #expect(site.count("zenity") == row.answers.count)
    }

    /// kdialog has no forms: what the link says stands above each value.
    @Test func kdialogAsksOneByOne() async throws {
        let tool = Self.tool(["yes", "b", "", ""], no: "exit 1")
        let site = try QuestionSite(Self.routes, tools: ["kdialog": tool])
        let response = try await Client(socket: site.daemon.socket).open("run:/connect?host=%3Cb%3E", from: .desktop)
            .response
        #expect(response == Self.told("<b> b 22 "))
        expect(try site.arguments("kdialog", 2)) {
            $0.contains("--inputbox\n<qt>") && $0.contains("host: “&lt;b&gt;”\n")
        }
    }

    /// A form does not come out of nothing: only a link that a person can see asks.
    @Test func nobodyElseIsAsked() async throws {
        let site = try QuestionSite(Self.routes, tools: ["zenity": Self.tool(["yes", "b^^"])])
        let daemon = Client(socket: site.daemon.socket)
        let missing = Response.error(CallbackError(.badParameter, "Parameter 'user' is missing."))
        let words = ["explain", "--origin", "desktop", "--socket", site.daemon.socket, "run:/connect?host=a"]
        expect(try site.run(words), equals: 0)
        expect(try site.output) { $0.contains("asks the user, and then for user, port, tags") }
        for origin in [Origin.agent, .socket] {
            let response = try await daemon.open("run:/connect?host=a", from: origin).response
            #expect(response == missing && site.count("zenity") == 0)
        }
        let tools = ["notify-send": #"asked "$@"; echo 1; stand; echo yes"#, "busctl": #"echo 'as 1 "actions"'"#]
        let other = try QuestionSite(Self.routes, tools: tools)
        let response = try await Client(socket: other.daemon.socket).open("run:/connect?host=a", from: .desktop)
            .response
        let lack = CallbackError(.unavailable, "The user cannot be asked here; install zenity or kdialog.")
        #expect(response == .error(lack) && other.count("notify-send") == 0)
    }

    /// A hundred links are one question, and then a rest.
    @Test func aHundredLinksAskOnce() async throws {
        let site = try QuestionSite(Self.routes, tools: ["zenity": #"asked "$@"; stand; exit "$ZENITY_CANCEL""#])
        let daemon = Client(socket: site.daemon.socket)
        let responses = try await withThrowingTaskGroup(of: Response.self) { group in
            for number in 0..<100 {
                group.addTask { try await daemon.open("run:/connect?host=\(number)", from: .desktop).response }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(
            responses.count { $0 == .cancel } == 1 && responses.count(where: \.isRefusedForNow) == 99, "\(responses)")
        // A reminder shows the same question again.
        #expect(site.count("zenity") <= 2)
        #expect(try site.arguments("zenity").contains("--question\n"))
    }

    @Test func aHostileValueIsShownAsText() async throws {
        let site = try QuestionSite(Self.routes, tools: ["zenity": Self.tool(["yes", "no"])])
        let value = "<b>&amp;\\n</b>\n\u{202E}" + String(repeating: "x", count: 10_000)
        _ = try await Client(socket: site.daemon.socket).open(
            "run:/connect?host=\(value.percentEncoded)", from: .desktop)
        let (asked, form) = (try site.arguments("zenity"), try site.arguments("zenity", 2))
        #expect(asked.contains("host: “\u{2066}<b>&amp;\\n</b>⏎\u{2069}\n"), "\(asked)")
        #expect(form.contains("host: “\u{2066}&lt;b&gt;&amp;amp;\\\\n&lt;/b&gt;⏎\u{2069}\n"), "\(form)")
        for text in [asked, form] { #expect(text.contains("U+202E") && text.contains("of 10016 characters)")) }
    }
}

extension Response {
    fileprivate var isRefusedForNow: Bool { if case .error(let error) = self { error.code == .tooMany } else { false } }
}
