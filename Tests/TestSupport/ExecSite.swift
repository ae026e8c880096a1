import Glibc
package import XCallbackTesting

/// A daemon whose routes run programs.
package final class ExecSite {
    package let daemon: RunningDaemon
    package let directory: TemporaryDirectory

    /// Starts a daemon.
    ///
    /// - Parameters:
    ///   - routes: The routes; `DIR` is replaced by the folder of the programs.
    ///   - schemes: The schemes.
    ///   - programs: Shell scripts, by name.
    ///   - limits: The limits.
    ///   - preparation: Shell commands to run before the shell becomes the daemon, with `DIR` as in the routes.
    /// - Throws: ``TestFailure`` if the daemon does not become ready.
    package init(
        _ routes: String, schemes: String = "[run]", programs: [String: String] = [:], limits: String = "{}",
        preparation: String? = nil
    ) throws {
        directory = try TemporaryDirectory()
        for (name, text) in programs {
            let path = try directory.write("#!/bin/sh\n\(text)\n", to: name)
            chmod(path, 0o755)
        }
        let folder = directory.path
        func placed(_ text: String) -> String { text.replacing("DIR", with: folder) }
        daemon = try RunningDaemon(
            "schemes: \(schemes)\nlimits: \(limits)\nroutes:\n\(placed(routes))\n",
            preparation: preparation.map(placed))
    }

    /// Returns the answer to a request on a separate connection.
    package func ask(_ action: String) throws -> String? { try daemon.connect().ask("run:/\(action)") }

    /// Waits until the daemon has no children; its answers are turns of its loop.
    package func waitUntilNoProgramRuns() throws {
        let client = try daemon.connect()
        try daemon.ask("other:/nothing", on: client) { try daemon.state.children.isEmpty }
    }

    /// Waits until a process has ended.
    package func waitForEnd(of process: Int32) throws {
        let client = try daemon.connect()
        try daemon.ask("other:/nothing", on: client) { kill(process, 0) < 0 && errno == ESRCH }
    }
}

/// Returns the answer of a program that succeeds with a text.
package func result(_ text: String) -> String { "xcallback://x-callback-url/success?result=\(text)" }

/// Returns the beginning of an error answer.
package func failure(_ code: Int) -> String { "xcallback://x-callback-url/error?errorCode=\(code)&errorMessage=" }
