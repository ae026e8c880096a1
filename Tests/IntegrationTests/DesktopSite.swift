import Glibc
import XCallbackTesting

/// A user's home, in which the programs of the desktop are run as they are installed.
final class DesktopSite {
    /// How a program has ended.
    struct Result {
        let status: Int32
        let output: String
    }

    let directory: TemporaryDirectory
    private let variables: [String]

    /// Makes a home.
    ///
    /// - Parameters:
    ///   - socket: The socket of the daemon.
    ///   - session: What is in the environment besides, as `NAME=value`: what tells the desktop.
    init(socket: String = "/nonexistent", session: [String] = ["DISPLAY=:99"]) throws {
        directory = try TemporaryDirectory()
        let home = directory.path
        let programs = try RunningDaemon.program("xcallback").dropLast("/xcallback".count)
        variables =
            [
                "PATH=\(home)/bin:\(programs):/usr/bin:/bin", "HOME=\(home)", "LANG=C.UTF-8", "XDG_DATA_DIRS=/usr/share",
                "XDG_RUNTIME_DIR=\(home)/run", "XCALLBACK_SOCKET=\(socket)",
            ] + session
    }

    /// The user's entry of the command.
    var entry: String { ".local/share/applications/org.xcallback.Router.desktop" }

    /// Starts a program.
    func start(_ words: [String], environment: [String] = [], to output: String) throws -> ChildProcess {
        let file = directory.path(of: output)
        return try ChildProcess(
            ["/usr/bin/env"] + words, environment: variables + environment, output: file, error: file)
    }

    /// Runs a program to its end.
    @discardableResult
    func run(_ words: String..., environment: [String] = []) throws -> Result {
        let name = "output-\(UInt32.random(in: 0 ... .max))"
        let status = try start(words, environment: environment, to: name).wait()
        return Result(status: status, output: try directory.text(of: name))
    }

    /// Makes an application for schemes: a shell script, which the desktop starts with the URL.
    func install(_ name: String, for schemes: [String], script: String) throws {
        try install(program: name, script: script)
        try directory.write(
            """
            [Desktop Entry]
            Type=Application
            Name=\(name)
            Exec=\(directory.path)/bin/\(name) %u
            MimeType=\(schemes.map { "x-scheme-handler/\($0);" }.joined())

            """, to: ".local/share/applications/\(name).desktop")
        try run("update-desktop-database", "\(directory.path)/.local/share/applications")
    }

    /// Puts a shell script on the user's `PATH`.
    func install(program name: String, script: String) throws {
        chmod(try directory.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)"), 0o755)
    }
}
