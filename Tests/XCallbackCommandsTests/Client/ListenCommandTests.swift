import Glibc
import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackCommands
import XCallbackTesting

/// `xcallback listen`, with a daemon that delivers one request.
@Suite(.blocking)
struct ListenCommandTests {
    /// What a program is told to do, and the parameters of its response, without the request.
    static let responses: [(arguments: [String], response: String)] = [
        (["echo", "hi"], #""outcome":"success","items":[{"name":"result","value":"hi"}]"#),
        (
            ["--output", "lines", "printf", "a=1\\nb\\n"],
            #""outcome":"success","items":[{"name":"a","value":"1"},{"name":"b","value":null}]"#
        ),
        (["--cancel-status", "7", "sh", "-c", "exit 7"], #""outcome":"cancel""#),
        (["sh", "-c", "exit 7"], #""outcome":"error","code":7,"message":"The program ended with status 7.""#),
        (["sh", "-c", "kill -9 $$"], #""outcome":"error","code":500,"message":"The handler failed.""#),
        (["--output", "json", "echo", "hi"], #""outcome":"error","code":500,"message":"The handler failed.""#),
        (
            ["sh", "-c", #"echo "$XCALLBACK_URL $XCALLBACK_ORIGIN $XCALLBACK_UID $XCALLBACK_ROUTE""#],
            #""outcome":"success","items":[{"name":"result","value":"n:/a?k=1 desktop 1 n:/:a"}]"#
        ),
        (
            ["sh", "-c", #"echo "$XCALLBACK_ACTION?$XCALLBACK_QUERY#$XCALLBACK_FRAGMENT""#],
            #""outcome":"success","items":[{"name":"result","value":"/a?k=1#f"}]"#
        ),
        (
            ["sh", "-c", #"echo "$XCALLBACK_PARAM_K_K $XCALLBACK_PARAM_LIST ${XCALLBACK_SOURCE-none}""#],
            #""outcome":"success","items":[{"name":"result","value":"1 a/b none"}]"#
        ),
        // Those of the request in which the command itself was started are not those of this one.
        (
            ["sh", "-c", #"echo "${XCALLBACK_PARAM_OLD-none} ${XCALLBACK_REQUEST_ID-none} ${XCALLBACK_HOST-none}""#],
            #""outcome":"success","items":[{"name":"result","value":"none none none"}]"#
        ),
        (
            ["sh", "-c", #"sed 's/"/!/g'"#],
            #""outcome":"success","items":[{"name":"result","value":"{!url!:!n:/a?k=1!,!route!:!n:/:a!,!action!:!/a!,"#
                + #"!query!:!k=1!,!parameters!:{!k-k!:!1!},!source!:null,!origin!:!desktop!,!peer!:{!uid!:1,!gid!:2,!pid!:3},"#
                + #"!data!:{},!callbacks!:{}}"}]"#
        ),
    ]

    @Test(arguments: responses)
    func aProgramRespondsByItsOutputAndStatus(arguments: [String], response: String) throws {
        let options = arguments.prefix { $0.hasPrefix("--") || $0 == "7" || ["lines", "json", "none"].contains($0) }
        let words = ["listen", "me"] + options + ["--"] + arguments.dropFirst(options.count)
        let site = try ListenSite(items: ListenSite.items)
        let command = try site.start(
            words,
            environment: [
                "XCALLBACK_SOURCE=old", "XCALLBACK_PARAM_OLD=1", "XCALLBACK_REQUEST_ID=old", "XCALLBACK_HOST=old",
                "PATH=/usr/bin:/bin",
            ])
        expect(try site.response(), equals: response)
        command.send(signal: SIGTERM)
        expect(try command.finish().status, equals: 128 + SIGTERM)
        #expect(site.name == "me")
    }

    /// The caller has its answer, whatever comes of printing it.
    @Test func onceAnswersBeforeItPrints() throws {
        let site = try ListenSite(items: ListenSite.items)
        let command = try site.start(["listen", "me", "--once", "--value", "missing"], environment: [])
        expect(try command.finish().status, equals: 1)
        expect(try site.response(), equals: #""outcome":"success","items":[]"#)
    }

    @Test func parametersThatCannotBeDistinguishedAreRefused() throws {
        let site = try ListenSite(items: #"{"name":"a.b","value":"1"},{"name":"a-b","value":"2"}"#)
        let command = try site.start(["listen", "me", "--", "true"], environment: ["PATH=/usr/bin:/bin"])
        expect(
            try site.response(),
            equals: #""outcome":"error","code":422,"message":"The parameters 'a.b' and 'a-b' would both be "#
                + #"XCALLBACK_PARAM_A_B for the program.""#)
        command.send(signal: SIGTERM)
        _ = try command.finish()
    }

    @Test func aSignalEndsTheProgramToo() throws {
        let site = try ListenSite(items: "")
        let workspace = try CommandWorkspace()
        let file = "\(workspace.directory)/pid"
        let script = "trap 'echo ended >>\(file); exit 0' TERM; echo $$ >\(file); echo ready >&2; sleep 60 & wait"
        let fifo = "\(workspace.directory)/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        let command = try site.start(
            ["listen", "me", "--", "sh", "-c", script.replacing("echo ready >&2", with: "echo ready >\(fifo)")],
            environment: ["PATH=/usr/bin:/bin"])
        // Opening it waits until the program does.
        expect(try textOfFile(fifo), equals: "ready\n")
        command.send(signal: SIGTERM)
        expect(try command.finish().status, equals: 128 + SIGTERM)
        expect(try textOfFile(file)) { $0.hasSuffix("\nended\n") }
    }

    @Test func subscribersSeeALineAnEvent() throws {
        let site = try ListenSite(events: [
            #"{"topic":"news","items":[{"name":"a","value":"b c"},{"name":"d"}]}"#, #"{"missed":3}"#,
            #"{"topic":"news","items":[{"name":"a","value":"\u001b"}]}"#,
        ])
        let text = try site.start(["subscribe", "news"], environment: [])
        expect(try text.readLine(), equals: "news 'a=b c' d")
        expect(try text.readLine(), equals: "news 'a=<U+001B>'")
        let json = try site.start(["subscribe", "--json", "news"], environment: [])
        expect(
            try json.readLine(),
            equals: #"{"topic":"news","items":[{"name":"a","value":"b c"},{"name":"d","value":null}]}"#)
        expect(try json.readLine(), equals: #"{"missed":3}"#)
    }

    @Test func whatIsPublishedIsCounted() throws {
        let site = try ListenSite(items: "")
        let command = try site.start(["publish", "news", "a=b=c", "d", "e="], environment: [])
        expect(try command.finish(), equals: ProgramResult(status: 0, output: "3\n"))
        expect(
            try site.response(),
            equals: #""topic":"news","items":[{"name":"a","value":"b=c"},{"name":"d","value":null},"#
                + #"{"name":"e","value":""}]"#)
    }
}
