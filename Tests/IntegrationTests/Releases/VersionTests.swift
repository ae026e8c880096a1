import Testing
import XCallbackTesting

/// The version of this release, which is defined in one place.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct VersionTests {
    private let version: String

    init() throws {
        let source = try textOfPackageFile("Sources/XCallbackPipeline/Version.swift")
        version = try String(#require(source.firstMatch(of: /text = "([^"]+)"/)).1)
    }

    @Test func itIsASemanticVersion() {
        #expect(version.wholeMatch(of: /(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?/) != nil)
    }

    @Test(arguments: [("xcallbackd", "xcallbackd "), ("xcallback", "")])
    func theProgramsPrintIt(program: String, name: String) throws {
        #expect(try output(of: [RunningDaemon.program(program), "--version"]) == "\(name)\(version)\n")
    }

    @Test func theDaemonTellsIt() throws {
        let daemon = try RunningDaemon("schemes: [app]\nroutes: [{ route: app:/a, respond: }]\n")
        let status = try output(of: [
            RunningDaemon.program("xcallback"), "status", "--json", "--socket", daemon.socket,
        ])
        #expect(status.contains(#""version":"\#(version)""#), "\(status)")
    }

    /// Except in files about releases.
    @Test func nothingElseHasItInItsText() throws {
        let found = try output(of: [
            "/usr/bin/git", "-C", packageFolder, "grep", "--files-with-matches", "--fixed-strings", "--word-regexp",
            version, "--", "Sources", "systemd", "config", "Package.swift", "Docs/man",
        ])
        #expect(found == "Sources/XCallbackPipeline/Version.swift\n")
    }

    /// The newest release in it is this one; unreleased changes may precede it.
    @Test func theChangelogTellsOfIt() throws {
        let headings = try textOfPackageFile("CHANGELOG.md").split(separator: "\n").filter { $0.hasPrefix("## ") }
        let releases = headings.filter { $0 != "## Unreleased" }
        #expect(headings.count - releases.count <= 1)
        #expect(try #require(releases.first).hasPrefix("## \(version) - "), "\(releases)")
        #expect(Set(releases).count == releases.count)
    }

    @Test func itsPromisesAreKept() throws {
        let release = version.prefix { $0 != "-" }
        #expect(try namesInFolder("\(packageFolder)/Tests/Releases").contains(String(release)))
    }

    private func output(of command: [String]) throws -> String {
        let directory = try TemporaryDirectory()
        let file = directory.path(of: "output")
        let process = try ChildProcess(command, environment: ["PATH=/usr/bin:/bin"], output: file, error: file)
        #expect(try process.wait() == 0)
        return try directory.text(of: "output")
    }
}
