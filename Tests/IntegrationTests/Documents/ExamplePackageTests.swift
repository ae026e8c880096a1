import Glibc
import Testing
import XCallbackTesting

/// The package of the tutorial, which depends on the library as anybody's does.
@Suite(.blocking)
struct ExamplePackageTests {
    @Test(.timeLimit(.minutes(10)))
    func theProgramsOfTheTutorialGreet() throws {
        let daemon = try RunningDaemon(textOfPackageFile("Docs/Examples/Greetings/config.yaml"))
        let environment = ["XCALLBACK_SOCKET=\(daemon.socket)"]
        let log = daemon.directory.path(of: "greeter")
        let greeter = try ChildProcess([Self.program("greeter")], environment: environment, output: log, error: log)
        defer { greeter.send(signal: SIGTERM) }
        func say(_ words: [String]) throws -> String {
            let name = "output-\(UInt32.random(in: 0 ... .max))"
            let output = daemon.directory.path(of: name)
            _ = try ChildProcess(words, environment: environment, output: output, error: output).wait()
            return try daemon.directory.text(of: name)
        }
        #expect(try say([Self.program("greet"), "Ada"]) == "Hello Ada!\n")
        #expect(try say([Self.program("greet")]) == "Error 422: Whom shall I greet?\n")
        let url = "greeter:/say-hello?name=Ada&isLoud=yes&x-success=app:/done"
        #expect(try say([RunningDaemon.program("xcallback"), "open", url]) == "app:/done?text=HELLO%20ADA%21\n")
    }

    private static func program(_ name: String) throws -> String {
        let program = "\(packageFolder)/.build/examples/debug/\(name)"
        guard access(program, X_OK) == 0 else {
            throw TestFailure("\(program) is missing: run 'make examples', or 'make test', which does it first")
        }
        return program
    }
}
