import Glibc
package import XCallbackTesting

/// A daemon with a shipped example, and a separate home.
package final class ExampleSite {
    package let daemon: RunningDaemon
    private let directory: TemporaryDirectory
    /// The path of the home.
    private let home: String
    /// The display for dialogs; the dialog tools are stand-ins.
    private let display: SocketServer?

    /// Starts a daemon.
    ///
    /// - Parameters:
    ///   - file: The example, relative to `config/examples`.
    ///   - changes: Replacements for words in it.
    ///   - program: The name of the program beside it.
    ///   - standIns: Shell scripts for programs that need a desktop or a service manager, by name.
    ///   - variables: Additional environment variables, as `NAME=value`.
    ///   - hasDisplay: Whether dialogs can be shown.
    ///   - diskSize: The size of a disk of its own for the home, which only root can mount.
    /// - Throws: ``TestFailure`` if the daemon does not become ready.
    package init(
        _ file: String, changes: [(String, String)] = [], program: String? = nil, standIns: [String: String] = [:],
        variables: [String] = [], hasDisplay: Bool = false, diskSize: String? = nil
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
            preparation: "export HOME=\(folder)/home PATH=\(folder)/bin:/usr/bin:/bin",
            under: diskSize.map { size in
                let script = "mount -t tmpfs -o size=\(size) tmpfs \"$HOME\"; exec \"$0\" \"$@\""
                return ["/usr/bin/unshare", "--mount", "/bin/sh", "-ec", script]
            } ?? [])
        // The daemon alone sees the disk.
        home = (diskSize == nil ? "" : "/proc/\(daemon.process.id)/root") + "\(folder)/home"
        try daemon.waitUntilReady()
    }

    /// Installs programs in a directory and in its folder `bin`.
    ///
    /// - Parameters:
    ///   - programs: Programs beside an example, in a folder with the same name.
    ///   - standIns: Stand-ins for other programs, by name.
    ///   - directory: The parent of the folder.
    /// - Throws: ``TestFailure`` if one cannot be read or written.
    package static func install(_ programs: [String], standIns: [String: String], in directory: TemporaryDirectory)
        throws
    {
        for name in programs {
            let text = try textOfPackageFile("config/examples/\(name)/\(name)")
            // Earlier examples find them in PATH, and those of today beside their file.
            for place in [name, "bin/\(name)"] { chmod(try directory.write(text, to: place), 0o755) }
        }
        for (name, text) in standIns {
            let comment = "# A stand-in for \(name), which is not here or has nothing to work with."
            chmod(try directory.write("#!/bin/sh\n\(comment)\n\(text)\n", to: "bin/\(name)"), 0o755)
        }
    }

    /// Returns the answer to a URL on a separate connection.
    package func ask(_ url: String) throws -> String? { try daemon.connect().ask(url) }

    /// Passes a URL to the daemon as the desktop does.
    ///
    /// - Returns: The exit status of the command.
    package func handle(_ url: String) throws -> Int32 {
        try ChildProcess.run(
            [RunningDaemon.program("xcallback"), "handle", "--socket", daemon.socket, "--", url],
            environment: ["PATH=\(directory.path)/bin:/usr/bin:/bin"]
        ).status
    }

    /// Returns the text of a file in the home.
    package func text(of name: String) throws -> String { try textOfFile(path(of: name)) }

    /// Returns the path of a file in the home.
    package func path(of name: String) -> String { "\(home)/\(name)" }

    /// Fills the disk of the home with a file, `filler`.
    package func fillDisk() throws {
        let descriptor = try TestFailure.check("create", creat(path(of: "filler"), 0o600))
        defer { close(descriptor) }
        while write(descriptor, [UInt8](repeating: 0, count: 4096), 4096) > 0 {}
    }

    /// Waits until a detached program makes a condition true.
    package func wait(until condition: () throws -> Bool) throws {
        try daemon.ask("other:/nothing", on: daemon.connect(), until: condition)
    }
}
