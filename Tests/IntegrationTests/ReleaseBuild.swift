import Glibc
import XCallbackTesting

/// The programs that `make release` builds.
enum ReleaseBuild {
    /// The sources of the programs, relative to the package's folder.
    private static let sources = ["Sources", "Package.swift", "Makefile"]

    /// Returns the path of a program.
    ///
    /// - Throws: ``TestFailure`` if it is missing, was built in another way, or is older than a source.
    static func program(_ name: String) throws -> String {
        // The folders of both builds are side by side.
        let program = try RunningDaemon.program("../release/\(name)")
        let stamp = try RunningDaemon.program("../release/made")
        guard access(program, X_OK) == 0 else { throw failure(name, "is missing") }
        guard access(stamp, F_OK) == 0, try newerFile(than: stamp, in: [program]) == nil else {
            throw failure(name, "does not come from 'make release'")
        }
        if let source = try newerFile(than: stamp, in: sources.map { "\(packageFolder)/\($0)" }) {
            throw failure(name, "is older than \(source)")
        }
        return program
    }

    private static func failure(_ name: String, _ reason: String) -> TestFailure {
        TestFailure("the release build of \(name) \(reason): run 'make release', or 'make test', which does it first")
    }

    /// Returns a file newer than another one; nil if there is none.
    private static func newerFile(than stamp: String, in places: [String]) throws -> String? {
        let directory = try TemporaryDirectory()
        let output = directory.path(of: "output")
        let words = ["/usr/bin/find"] + places + ["-type", "f", "-newer", stamp, "-print", "-quit"]
        let search = try ChildProcess(words, output: output, error: output)
        let status = try search.wait()
        let text = try directory.text(of: "output")
        guard status == 0 else { throw TestFailure("find: \(text)") }
        return text.split(separator: "\n").first.map(String.init)
    }
}
