import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The questions, listings and rejections of `xcallback setup`.
@Suite(.blocking)
struct SetupQuestionTests {
    private static let question = "May links and web pages open notes:/new? If so, you are asked each time."

    /// Runs the setup on a terminal, and types an answer.
    private func setup(_ site: SetupSite, answering answer: String) throws -> DesktopSite.Result {
        try site.run("sh", "-c", "printf '\(answer)' | script -qec 'xcallback setup notes --no-try' /dev/null")
    }

    @Test func withoutATerminalAQuestionIsAnErrorOfUsage() throws {
        let site = try SetupSite()
        let before = try site.contents()
        let result = try site.setup("notes")
        #expect(result.status == 64)
        #expect(result.output.contains("the question: \(Self.question)\nuse '--yes' to answer yes\n"))
        expect(try site.contents(), equals: before)
    }

    @Test func onlySomeRoutesMayAsk() throws {
        let site = try SetupSite(SetupSite.notes + "  - { route: notes:/list-all, public: true, respond: }\n")
        let consequence = "If so, you are asked each time, but not about notes:/list-all.\n"
        expect(try site.setup("notes").output) { $0.contains("open notes:/new, notes:/list-all? \(consequence)") }
    }

    @Test func ownActionsAreListed() throws {
        let site = try SetupSite()
        expect(try site.run("xcallback", "init", "my:/first").status, equals: 0)
        let list = try site.setup().output
        #expect(list.contains("\nmy-first  yours  Made by 'xcallback init'.\n"), "\(list)")
    }

    static let answers: [(answer: String, value: String)] = [
        ("n\\n", "false"), ("maybe\\ny\\n", "true"), ("\\n", "true"),
    ]

    @Test(arguments: answers)
    func theAnswerDecidesWhetherLinksReachTheRoute(answer: String, value: String) throws {
        let site = try SetupSite()
        let result = try setup(site, answering: answer)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("\(Self.question) [Y/n] "))
        let text = try site.home.text(of: ".config/xcallbackd/routes.d/notes/notes.yaml")
        #expect(text.contains("    public: \(value)\n"), "\(text)")
        // The question is not repeated.
        expect(try site.setup("notes").status, equals: 0)
        expect(try site.home.text(of: ".config/xcallbackd/routes.d/notes/notes.yaml"), equals: text)
    }

    @Test func whoseSchemeItIsIsAsked() throws {
        let site = try SetupSite(SetupSite.notes.replacing("    public: true\n", with: ""))
        try site.site.install("other", for: ["notes"], script: "")
        try site.giveAway()
        let result = try setup(site, answering: "n\\n")
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("other opens notes URLs now. Make xcallback open them instead? [Y/n] "))
        let choice = "[Default Applications]\nx-scheme-handler/notes=other.desktop;\n"
        expect(try site.home.text(of: ".config/mimeapps.list"), equals: choice)
        expect(try site.run("xcallback", "remove", "notes").status, equals: 0)
        #expect(!site.home.contains(".config/mimeapps.list"))
    }

    @Test func examplesAreListed() throws {
        let site = try SetupSite()
        let folder = "prefix/share/xcallbackd/examples"
        try site.home.write("# Services. More.\n#\n# setup: system\nschemes: [a]\n", to: "\(folder)/services.yaml")
        try site.home.write("", to: "\(folder)/folder/file")
        let list = "NAME      STATE     DESCRIPTION\nnotes     -         Notes: files in ~/Notes.\n"
        let services = "services  for root  Services.\n"
        let end = "\nSet one up with: xcallback setup NAME\n"
        expect(try site.setup().output, equals: list + services + end)
        expect(try site.setup("notes", "--yes", "--no-try").status, equals: 0)
        expect(try site.setup().output) { $0.contains("notes     set up    Notes: files in ~/Notes.\n") }
    }

    static let refusals: [(words: [String], status: Int32, text: String)] = [
        (["none"], 64, "no example is called 'none': there are notes"),
        (["notes", "public"], 64, "more words are for a folder, such as ./notes"),
        (["/nowhere/notes"], 1, "No such file or directory; nothing was changed"),
    ]

    @Test(arguments: refusals)
    func whatCannotBeDoneIsReported(words: [String], status: Int32, text: String) throws {
        let site = try SetupSite()
        let before = try site.contents()
        let result = try site.run("sh", "-c", "xcallback setup \(words.joined(separator: " ")) </dev/null")
        #expect(result.status == status)
        #expect(result.output.contains(text), "\(result.output)")
        expect(try site.contents(), equals: before)
    }

    @Test(.enabled(if: geteuid() == 0, "only root is root"))
    func rootHasNoDaemonOfItsOwn() throws {
        let site = try DesktopSite()
        let result = try site.run("xcallback", "setup", "notes", "--yes")
        #expect(result.status == 1)
        #expect(result.output.contains("root's daemon is the system's\nrun it as the user, without sudo"))
    }

    @Test func theShippedExamplesAreFoundInTheSourceTree() throws {
        let site = try DesktopSite()
        // Beside the tests, where a copy is not.
        let program = try RunningDaemon.ownProgram().replacing(/[^\/]+$/, with: "xcallback")
        for name in ["capture", "clipboard", "demo", "links", "notes", "screenshots", "services", "todo"] {
            expect(try site.run(program, "setup").output, "\(name)") { $0.contains("\n\(name) ") }
        }
    }
}
