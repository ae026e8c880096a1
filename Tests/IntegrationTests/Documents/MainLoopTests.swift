import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Handlers on the thread of a GLib main loop, as in the documents.
@Suite(.blocking)
struct MainLoopTests {
    @Test(
        .enabled(if: access("/usr/lib/python3/dist-packages/gi", F_OK) == 0, "'make test' installs python3-gi")
    )
    func aHandlerInPythonRunsOnTheMainLoop() throws {
        let daemon = try RunningDaemon(
            """
            schemes: [n]
            routes:
              - { route: "n:/title/:text", deliver: window, wait: 60s }
              - { route: "n:/other", deliver: window, wait: 60s }
            """)
        let example = ExampleProgram.example("glib_handler.py")
        let program = try ClientLanguage.runPython([example, "window"], asking: daemon.socket, in: daemon.directory)
        let client = try daemon.connect()
        let answer = try client.ask("n:/title/a%20b?x-success=app:/done")
        #expect(answer == "app:/done?title=a%20b&thread=MainThread", "\(program.errors)")
        expect(try client.ask("n:/other")) { $0?.contains("errorCode=404") == true }
        // A handler that cannot receive ends.
        let other = try ClientLanguage.runPython([example, "nobody"], asking: daemon.socket, in: daemon.directory)
        expect(try other.wait(), equals: 1)
        #expect(other.errors.contains("UnknownName"))
        let unnamed = try ClientLanguage.runPython([example], asking: daemon.socket, in: daemon.directory)
        expect(try unnamed.wait(), equals: 1)
    }

    @Test func aHandlerOfTheMainActorRunsOnTheMainLoopThatItIsAttachedTo() throws {
        let program = "\(packageFolder)/.build/examples/debug/GLibHandler"
        guard access(program, X_OK) == 0 else {
            try Test.cancel("\(program) is missing: run 'make outside'")
        }
        let daemon = try RunningDaemon(
            """
            schemes: [n]
            routes:
              - { route: "n:/title", deliver: window, wait: 60s }
            """)
        let log = daemon.directory.path(of: "handler")
        let handler = try ChildProcess(
            [program], environment: ["XCALLBACK_SOCKET=\(daemon.socket)"], output: log)
        defer { handler.send(signal: SIGTERM) }
        let client = try daemon.connect()
        for count in 1...2 {
            expect(try client.ask("n:/title?x-success=app:/done"), equals: "app:/done?count=\(count)&main=true")
        }
    }

    @Test func theDeclarationsOfTheDocumentAreThoseThatAreCompiled() throws {
        let shown = try #require(DocumentExample.all(in: "c", of: "Docs/Reference/Library.md").first?.text)
        expect(try textOfPackageFile("Tests/Outside/Sources/CMainLoop/include/CMainLoop.h")) { $0.contains(shown) }
    }
}
