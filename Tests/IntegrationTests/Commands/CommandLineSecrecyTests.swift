import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The URLs of commands contain secrets, and the journal adds a process's command line to each of its entries.
@Suite(.blocking)
struct CommandLineSecrecyTests {
    static let commands = [
        ["open"], ["open", "--json"], ["handle", "--opener=true", "--"], ["handle", "--opener", "true", "--"],
    ]

    /// The handler records the command line of the client.
    @Test(arguments: commands)
    func theCommandLineShowsNoValue(words: [String]) throws {
        let script = #"""
            client=$(sed 's/.*"pid":\([0-9]*\).*/\1/')
            tr '\0' '\n' <"/proc/$client/cmdline" >"${0%/*}/seen"
            """#
        let site = try ExecSite(
            #"  - { route: "run:/:word", public: true, exec: [DIR/look] }"#, programs: ["look": script])
        let program = try RunningDaemon.program("xcallback")
        let result = try ChildProcess.run(
            [program] + words + ["run:/hunter2?token=hunter2&x-source=hunter2"],
            environment: ["XCALLBACK_SOCKET=\(site.daemon.socket)", "PATH=/usr/bin:/bin"])
        #expect(result.status == 0)
        let seen = try site.directory.text(of: "seen").split(separator: "\n").map(String.init)
        let kept = words.map { $0.hasPrefix("--opener=") ? "--opener=" : $0 }
        #expect(seen == [program] + kept + ["run:"])
    }

    /// A handler's message, and the cause of an error, may contain values of the request.
    @Test func standardErrorHasNoMessageWhereItIsTheJournal() throws {
        let site = try ExecSite(
            #"  - { route: "run:/:word", public: true, exec: [DIR/fail, "{word}"] }"#,
            programs: ["fail": #"printf '{"code": 12, "message": "no %s"}' "$1" >&2; exit 9"#])
        let journal = "$(stat -Lc %d:%i /proc/self/fd/2)"
        for (action, stream, status, text) in [
            ("hunter2", journal, 1, "xcallback: run: the URL has no x-error (12)\n"),
            ("a/hunter2", journal, 6, "xcallback: run: No route answers this action. (404)\n"),
            ("hunter2", "0:0", 1, "xcallback: run: no hunter2 (12)\n"),
        ] as [(String, String, Int32, String)] {
            let program = try RunningDaemon.program("xcallback")
            let script = "JOURNAL_STREAM=\(stream) exec \(program) handle -- run:/\(action)"
            let result = try ChildProcess.run(
                ["/bin/bash", "-c", script],
                environment: ["XCALLBACK_SOCKET=\(site.daemon.socket)", "PATH=/usr/bin:/bin"])
            #expect(result == (status, text), "\(result)")
        }
    }

    /// Dispatch would log that it may not have the requested priority.
    @Test func dispatchHasNothingToReport() throws {
        // Root may have any priority unless it drops that capability.
        let tool = geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-sys_nice", "--"] : []
        let environment = ["LIBDISPATCH_LOG=stderr", "PATH=/usr/bin:/bin"]
        let daemon = try RunningDaemon(
            starting: "schemes: [n]\nroutes: [{ route: n:/ping, respond: {} }]", environment: environment, under: tool)
        try daemon.waitUntilReady()
        let errors = daemon.directory.path(of: "errors")
        let program = try RunningDaemon.program("xcallback")
        for words in [["open", "n:/ping"], ["status"], ["routes"], ["reload"], ["explain", "n:/ping"]] {
            let command = try ChildProcess(
                tool + [program] + words, environment: environment + ["XCALLBACK_SOCKET=\(daemon.socket)"],
                output: "/dev/null", error: errors)
            try command.wait()
        }
        expect(try daemon.directory.text(of: "errors"), equals: "")
        let log = try daemon.log
        #expect(!log.contains("libdispatch") && !log.contains("priority"), "\(log)")
    }
}
