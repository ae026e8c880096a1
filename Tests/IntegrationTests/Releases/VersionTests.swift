import TestSupport
import Testing
import XCallbackTesting

/// The version of this release, which is defined in one place.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct VersionTests {
    private let version: String

    init() throws {
        let source = try textOfPackageFile("Sources/XCallbackRouter/Pipeline/Version.swift")
        version = try String(#require(source.firstMatch(of: /text = "([^"]+)"/)).1)
    }

    @Test(arguments: [("xcallbackd", "xcallbackd "), ("xcallback", "")])
    func theProgramsPrintIt(program: String, name: String) throws {
        expect(try output(of: [RunningDaemon.program(program), "--version"]), equals: "\(name)\(version)\n")
    }

    private func output(of command: [String]) throws -> String {
        let directory = try TemporaryDirectory()
        let file = directory.path(of: "output")
        let process = try ChildProcess(command, environment: ["PATH=/usr/bin:/bin"], output: file, error: file)
        expect(try process.wait(), equals: 0)
        return try directory.text(of: "output")
    }
}
