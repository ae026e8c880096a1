import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// `xcallback call` to an application whose answer returns through the desktop.
@Suite(.blocking)
struct CallCommandTests {
    private static let configuration = """
        schemes: [notes]
        routes:
          - { route: notes:/echo, respond: { text: "{text}" } }
        """

    /// An application that answers as its URL specifies: `answer` names the callback, and `add` is appended to it.
    private static let application = """
        report "$1"
        answer=$(item "$1" answer)
        if [ -n "$answer" ]; then gio open "$(item "$1" "$answer")$(item "$1" add)"; fi
        """

    private let daemon: RunningDaemon
    private let site: DesktopSite

    init() throws {
        daemon = try RunningDaemon(Self.configuration)
        site = try DesktopSite(socket: daemon.socket)
        try site.install("app", for: ["app"], script: Self.application)
        try site.run("xcallback", "register", "xcallback")
    }

    static let calls: [(query: String, status: Int32, output: String)] = [
        ("answer=x-success&add=%3Fa%3D1%26b%3Dx%2520y", 0, "a=1\nb=x y\n"), ("answer=x-success", 0, ""),
        ("answer=x-cancel", 3, "cancelled\n"),
        ("answer=x-error&add=%3FerrorCode%3D404%26errorMessage%3DNo%2520note", 1, "error: No note (404)\n"),
        ("answer=x-error&add=%3Ferror-Code%3D7%26errorMessage%3DNo", 1, "error: No (7)\n"),
        ("answer=x-error&add=%3FerrorMessage%3DNo", 1, "error: No (500)\n"),
    ]

    @Test func anAnswerOfAnApplicationIsPrinted() throws {
        for (query, status, output) in Self.calls {
            let result = try site.run("xcallback", "call", "app://x-callback-url/do?\(query)")
            #expect(result.status == status, "\(query)")
            #expect(result.output == output, "\(query)")
        }
    }

    @Test func anApplicationThatSaysNothingEndsWithATimeOut() throws {
        let result = try site.run("xcallback", "call", "--timeout", "100ms", "app:/do")
        #expect(result.status == 4)
        #expect(result.output == "error: The application did not answer in time. (504)\n")
        expect(try site.nextReport()) { $0.hasPrefix("app:/do?x-source=xcallback&x-success=xcallback%3A%2F%2F") }
    }

    @Test func parametersAreAddedToTheURL() throws {
        let input = try site.directory.write("one\ntwo & three\n", to: "input")
        let result = try site.run(
            "xcallback", "call", "--json", "app:/do?a=0&b=1", "--param", "a=x=y", "--param", "flag", "--param",
            "answer=x-cancel", "--stdin", "text", input: input)
        #expect(result.status == 3)
        #expect(
            result.output
                == #"{"outcome":"cancel","url":"xcallback://x-callback-url/cancel","items":[],"by":"handler"}"# + "\n")
        let expected = "app:/do?b=1&a=x%3Dy&flag&answer=x-cancel&text=one%0Atwo%20%26%20three&x-source="
        expect(try site.nextReport()) { $0.hasPrefix(expected) }
    }

    @Test func theCallbacksOfTheURLAreOpenedAfterwards() throws {
        try site.install("done", for: ["done"], script: "report \"$1\"")
        let result = try site.run(
            "xcallback", "call", "app:/do?answer=x-success&add=%3Fa%3D1&x-success=done%3A%2Fok%3Fid%3D7")
        #expect(result.status == 0)
        #expect(result.output == "done:/ok?id=7&a=1\n")
        expect(try site.nextReport()) { $0.hasPrefix("app:/do?") }
        expect(try site.nextReport(), equals: "done:/ok?id=7&a=1")
    }

    @Test func whatTheDaemonItselfSaysReplacesWhatTheCallerHasWritten() throws {
        let result = try site.run(
            "xcallback", "call", "--timeout", "100ms",
            "app:/do?x-error=notes%3A%2Fecho%3FerrorCode%3D1%26text%3Dmine")
        #expect(
            result.output == "notes:/echo?text=mine&errorCode=504&errorMessage="
                + "The%20application%20did%20not%20answer%20in%20time.\n")
    }

    @Test func nothingIsOpenedWhereNoAnswerCouldArrive() throws {
        let site = try DesktopSite(socket: daemon.socket)
        try site.install("app", for: ["app"], script: Self.application)
        let result = try site.run("xcallback", "call", "app:/do?answer=x-success")
        #expect(result.status == 1)
        #expect(
            result.output == """
                xcallback: no application opens 'xcallback:' URLs, so no answer would arrive; nothing was opened
                run 'xcallback register xcallback' once

                """)
        #expect(!site.hasMore)
    }

    @Test func anOpenerOfOnesOwnMayHaveAnotherWayBack() throws {
        let site = try DesktopSite(socket: daemon.socket)
        try site.install(program: "opener", script: "report \"$1\"")
        let call = try site.start(["xcallback", "call", "--opener", "opener", "app:/do"], to: "output")
        let target = try #require(try ActionURL(site.nextReport()).success)
        expect(try daemon.connect().ask("\(target)?a=1"), equals: "xcallback://x-callback-url/success")
        expect(try call.wait(), equals: 0)
        expect(try site.directory.text(of: "output"), equals: "a=1\n")
    }

    @Test func anApplicationThatCannotBeOpenedIsReported() throws {
        let site = try DesktopSite(socket: daemon.socket)
        let result = try site.run("xcallback", "call", "--opener", "false", "app:/do")
        #expect(result.status == 1)
        #expect(result.output.hasPrefix("xcallback: the URL could not be opened: 'false' ended with status 1\n"))
    }

    static let faults: [[String]] = [
        [], ["nothing"], ["app:/a b"], ["app:/do", "--timeout", "0s"], ["app:/do", "--timeout", "soon"],
        ["app:/do", "--param", "=1"], ["app:/do", "--param", "x-success=app:/x"], ["app:/do", "--stdin", "X-Error"],
        ["app:/do", "--opener"],
    ]

    @Test func aFaultOfTheCommandLineIsOneOfUsage() throws {
        let site = try DesktopSite()
        for words in Self.faults {
            expect(try site.start(["xcallback", "call"] + words, to: "output").wait(), equals: 64, "\(words)")
        }
    }
}
