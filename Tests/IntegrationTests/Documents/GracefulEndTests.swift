import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Programs that are told to stop while they answer, as in the documents; `make outside` builds them.
@Suite(.blocking)
struct GracefulEndTests {
    @Test(arguments: ["EndsOnSignal", "EndsInMainFile", "EndsInActor", "EndsWithLifecycle"])
    func aProgramThatIsTerminatedAnswersWhatItHas(name: String) throws {
        let path = "\(packageFolder)/.build/examples/debug/\(name)"
        guard access(path, X_OK) == 0 else { try Test.cancel("\(path) is missing: run 'make outside'") }
        let daemon = try RunningDaemon("schemes: [app]\nroutes: [{ route: app:/slow, deliver: app, wait: 60s }]\n")
        let output = daemon.directory.path(of: "output")
        let program = try ChildProcess(
            [path, daemon.directory.path(of: "go")], environment: ["XCALLBACK_SOCKET=\(daemon.socket)"],
            output: output, error: daemon.directory.path(of: "errors"))
        let client = try daemon.connect()
        try client.send("app:/slow?x-success=app:/done&x-error=app:/failed\n")
        try waitUntil("the program has begun") { try daemon.directory.text(of: "output") == "begun\n" }
        program.send(signal: SIGTERM)
        try daemon.directory.write("", to: "go")
        expect(try client.readLine(), equals: "app:/done?result=done")
        expect(try program.wait(), equals: 0)
        expect(try daemon.directory.text(of: "output"), equals: "begun\nended\n")
    }
}
