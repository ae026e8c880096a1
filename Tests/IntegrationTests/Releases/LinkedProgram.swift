import TestSupport
import Testing
import XCallbackTesting

/// A program of this package, as binary tools see it.
struct LinkedProgram {
    /// The path of the program.
    let path: String

    /// Finds a program of the release build.
    init(_ name: String) throws {
        path = try ReleaseBuild.program(name)
    }

    /// Finds a program of the release build that contains Swift's libraries, as those of `make release` do.
    ///
    /// If it is that of a plain `swift build`, the test is cancelled.
    init(installed name: String) throws {
        try self.init(name)
        if try neededLibraries.contains(where: { $0.hasPrefix("libswift") }) {
            try Test.cancel("the release build is a plain one: run 'make release'")
        }
    }

    /// The file names of the libraries that it names.
    var neededLibraries: [String] {
        get throws {
            try output("readelf", "-dW").filter { $0.contains("(NEEDED)") }
                .compactMap { $0.firstMatch(of: /\[(.*)\]/).map { String($0.1) } }
        }
    }

    /// Returns the output lines of a tool for the program.
    func output(_ tool: String, _ options: String...) throws -> [Substring] {
        let (status, output) = try ChildProcess.run(
            ["/usr/bin/env", tool] + options + [path], environment: ["PATH=/usr/bin:/bin"])
        guard status == 0 else { throw TestFailure("\(tool): \(output)") }
        return output.split(separator: "\n")
    }
}
