import Glibc
package import XCallbackTesting

/// A user's home, in which desktop programs run as installed.
package final class DesktopSite {
    /// The end of a program.
    package struct Result {
        package let status: Int32
        package let output: String
    }

    package let directory: TemporaryDirectory
    /// The environment of its programs, as `NAME=value`.
    package let variables: [String]
    /// The messages of the site's applications about their requests, one per line.
    private let reports: Int32
    private var received: [UInt8] = []

    /// Creates a home.
    ///
    /// - Parameters:
    ///   - socket: The daemon's socket.
    ///   - shared: The folder in the home that precedes `/usr/share`; nil for none.
    ///   - session: Additional environment variables, as `NAME=value`, which identify the desktop.
    /// - Throws: ``TestFailure`` if it cannot be created.
    package init(socket: String = "/nonexistent", shared: String? = nil, session: [String] = ["DISPLAY=:99"]) throws {
        directory = try TemporaryDirectory()
        let home = directory.path
        let programs = try RunningDaemon.program("xcallback").dropLast("/xcallback".count)
        variables =
            [
                "PATH=\(home)/bin:\(programs):/usr/bin:/bin", "HOME=\(home)", "LANG=C.UTF-8",
                "XDG_DATA_HOME=\(home)/.local/share",
                "XDG_DATA_DIRS=\(shared.map { "\(home)/\($0):" } ?? "")/usr/share",
                "XDG_RUNTIME_DIR=\(home)/run", "XCALLBACK_SOCKET=\(socket)",
            ] + session
        _ = try TestFailure.check("mkfifo", mkfifo("\(home)/reports", 0o600))
        _ = try TestFailure.check("mkdir", mkdir("\(home)/run", 0o700))
        // Open for writing, too, so that the pipe never ends.
        reports = try TestFailure.check("open", open("\(home)/reports", O_RDWR | O_CLOEXEC))
    }

    deinit {
        close(reports)
    }

    /// The path of the user's desktop entry for the command.
    package var entry: String { ".local/share/applications/org.xcallback.Router.desktop" }

    /// Starts a program.
    package func start(
        _ words: [String], environment: [String] = [], input: String = "/dev/null", to output: String
    ) throws -> ChildProcess {
        let file = directory.path(of: output)
        return try ChildProcess(
            ["/usr/bin/env"] + words, environment: variables + environment, input: input, output: file)
    }

    /// Runs a program to its end.
    @discardableResult
    package func run(_ words: String..., environment: [String] = [], input: String = "/dev/null") throws -> Result {
        try run(words: words, environment: environment, input: input)
    }

    /// Runs a program to its end.
    package func run(words: [String], environment: [String] = [], input: String = "/dev/null") throws -> Result {
        let name = "output-\(UInt32.random(in: 0 ... .max))"
        let status = try start(words, environment: environment, input: input, to: name).wait()
        return Result(status: status, output: try directory.text(of: name))
    }

    /// Creates an application for schemes: a shell script that the desktop starts with the URL.
    package func install(
        _ name: String, for schemes: [String], in folder: String = ".local/share/applications", script: String
    ) throws {
        try install(program: name, script: script)
        try directory.write(
            """
            [Desktop Entry]
            Type=Application
            Name=\(name)
            Exec=\(directory.path)/bin/\(name) %u
            MimeType=\(schemes.map { "x-scheme-handler/\($0);" }.joined())

            """, to: "\(folder)/\(name).desktop")
        try run("update-desktop-database", directory.path(of: folder))
    }

    /// Adds a shell script to the user's `PATH`.
    ///
    /// `report WORD…` in it is the result of ``nextReport()``; `item URL NAME` prints the decoded value of an item.
    package func install(program name: String, script: String) throws {
        let tools = """
            report() { printf '%s\\n' "$*" >\(directory.path(of: "reports")); }
            value() { printf '%s' "$1" | tr '?&' '\\n\\n' | sed -n "s/^$2=//p" | sed 's/%/\\\\x/g'; }
            item() { /usr/bin/printf '%b' "$(value "$1" "$2")"; }
            """
        chmod(try directory.write("#!/bin/sh\n\(tools)\n\(script)\n", to: "bin/\(name)"), 0o755)
    }

    /// Waits for a message of an application that can have several lines, which are joined by spaces.
    package func allReports() throws -> String {
        var text = try nextReport()
        while received.contains(UInt8(ascii: "\n")) { text += " " + (try nextReport()) }
        return text
    }

    /// Waits for a message of an application, at most half a minute.
    package func nextReport() throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            var members = [pollfd(fd: reports, events: Int16(POLLIN), revents: 0)]
            let count = poll(&members, 1, 30_000)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw TestFailure("no application has reported anything") }
            var part = [UInt8](repeating: 0, count: 65_536)
            received += part[..<max(read(reports, &part, part.count), 0)]
        }
    }

    /// Whether a message of an application is unread.
    package var hasMore: Bool {
        var members = [pollfd(fd: reports, events: Int16(POLLIN), revents: 0)]
        return !received.isEmpty || poll(&members, 1, 0) > 0
    }
}
