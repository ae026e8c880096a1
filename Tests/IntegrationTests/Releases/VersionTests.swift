import TestSupport
import Testing
import XCallbackTesting

/// The version of this release, which is defined in one place.
@Suite(.blocking)
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
        let result = try ChildProcess.run(command, environment: ["PATH=/usr/bin:/bin"])
        #expect(result.status == 0)
        return result.output
    }
}
