import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The package of the tutorial, which depends on the library like any user's.
@Suite(.blocking)
struct ExamplePackageTests {

    /// Verbatim, in a separate folder, as the user who runs the tests; except that it is already built, and that a loop waits
    /// for the daemon.
    @Test func theCommandsOfTheTutorialPrintWhatItSays() throws {
        let tutorial = try textOfPackageFile("Sources/XCallback/XCallback.docc/GettingStarted.md")
        let blocks = tutorial.split(separator: "```sh\n").suffix(2).compactMap { $0.split(separator: "```").first }
        let commands = blocks.joined(separator: "until xcallback status >status 2>&1; do sleep 0.1; done\n")
        let directory = try TemporaryDirectory()
        try directory.write(textOfPackageFile("Docs/Examples/Greetings/config.yaml"), to: "config.yaml")
        _ = try directory.write("#!/bin/sh\n", to: "bin/swift")
        chmod(directory.path(of: "bin/swift"), 0o755)
        mkdir(directory.path(of: ".build"), 0o755)
        let built = try Self.program("greet").dropLast("/greet".count)
        try #require(symlink(String(built), directory.path(of: ".build/debug")) == 0)
        let programs = try RunningDaemon.program("xcallback").dropLast("/xcallback".count)
        let script = "cd '\(directory.path)'; trap 'kill $(jobs -p) || true' EXIT; exec 2>errors\n\(commands)"
        let (status, output) = try ChildProcess.run(
            ["/bin/bash", "-e", "-c", script],
            environment: ["PATH=\(directory.path)/bin:\(programs):/usr/bin:/bin", "HOME=\(directory.path)"])
        let lines = output.split(separator: "\n").filter { !$0.hasPrefix("The greeter") }
        let errors = try directory.text(of: "errors")
        #expect(status == 0, "\(errors)")
        #expect(lines == ["Hello Ada!", "app:/done?text=HELLO%20ADA%21"])
    }

    private static func program(_ name: String) throws -> String {
        let program = "\(packageFolder)/.build/examples/debug/\(name)"
        guard access(program, X_OK) == 0 else {
            try Test.cancel("\(program) is missing: run 'make outside'")
        }
        return program
    }
}
