import Glibc
import XCallbackTesting

/// A daemon with one of the shipped examples, and a home of its own.
final class ExampleSite {
    let daemon: RunningDaemon
    private let directory: TemporaryDirectory
    /// Where dialogs would be shown; the tools that show them are stand-ins.
    private let display: SocketServer?

    /// Starts a daemon.
    ///
    /// - Parameters:
    ///   - file: The example, below `config/examples`.
    ///   - changes: Words of it that others take the place of.
    ///   - program: The name of the program that lies beside it.
    ///   - standIns: Shell scripts for programs that need a desktop or a service manager, by name.
    ///   - variables: What is in the environment besides, as `NAME=value`.
    ///   - hasDisplay: Whether dialogs can be shown.
    /// - Throws: ``TestFailure`` if it does not become ready.
    init(
        _ file: String, changes: [(String, String)] = [], program: String? = nil, standIns: [String: String] = [:],
        variables: [String] = [], hasDisplay: Bool = false
    ) throws {
        directory = try TemporaryDirectory()
        display = hasDisplay ? try SocketServer(directory.path(of: "display")) { _ in } : nil
        try directory.write("", to: "home/.hidden")
        try Self.install(program.map { [$0] } ?? [], standIns: standIns, in: directory)
        var text = try textOfPackageFile("config/examples/\(file)")
        for (word, other) in changes {
            guard text.contains(word) else { throw TestFailure("\(file) does not hold '\(word)'") }
            text = text.split(separator: word, omittingEmptySubsequences: false).joined(separator: other)
        }
        let folder = directory.path
        daemon = try RunningDaemon(
            starting: text, in: directory,
            environment: variables + ["XDG_RUNTIME_DIR=\(folder)"] + (hasDisplay ? ["WAYLAND_DISPLAY=display"] : []),
            preparation: "export HOME=\(folder)/home PATH=\(folder)/bin:/usr/bin:/bin")
        try daemon.waitUntilReady()
    }

    /// Puts programs into the folder `bin` of a directory.
    ///
    /// - Parameters:
    ///   - programs: Those that lie beside an example, in a folder with the same name.
    ///   - standIns: The texts of stand-ins for others, by name.
    ///   - directory: Where the folder is.
    /// - Throws: ``TestFailure`` if one cannot be read or written.
    static func install(_ programs: [String], standIns: [String: String], in directory: TemporaryDirectory) throws {
        for name in programs {
            let text = try textOfPackageFile("config/examples/\(name)/\(name)")
            chmod(try directory.write(text, to: "bin/\(name)"), 0o755)
        }
        for (name, text) in standIns {
            let comment = "# A stand-in for \(name), which is not here or has nothing to work with."
            chmod(try directory.write("#!/bin/sh\n\(comment)\n\(text)\n", to: "bin/\(name)"), 0o755)
        }
    }

    /// The answer to a URL on a connection of its own.
    func ask(_ url: String) throws -> String? { try daemon.connect().ask(url) }

    /// Hands a URL to the daemon as the desktop does.
    ///
    /// - Returns: The exit status of the command.
    func handle(_ url: String) throws -> Int32 {
        let output = directory.path(of: "handled")
        return try ChildProcess(
            [RunningDaemon.program("xcallback"), "handle", "--socket", daemon.socket, "--", url],
            environment: ["PATH=\(directory.path)/bin:/usr/bin:/bin"], output: output, error: output
        ).wait()
    }

    /// The text of a file in the home.
    func text(of name: String) throws -> String { try directory.text(of: "home/\(name)") }

    /// The path of a file in the home.
    func path(of name: String) -> String { directory.path(of: "home/\(name)") }

    /// Waits until something is true that a detached program does.
    func wait(until condition: () throws -> Bool) throws {
        try daemon.ask("other:/nothing", on: daemon.connect(), until: condition)
    }
}
