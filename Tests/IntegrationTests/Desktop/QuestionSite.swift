import Glibc
import TestSupport
import XCallbackTesting

/// A daemon that asks questions, and a desktop whose tools record their arguments.
final class QuestionSite {
    let daemon: RunningDaemon
    private let directory: TemporaryDirectory
    private let variables: [String]

    /// Starts a daemon.
    ///
    /// - Parameters:
    ///   - routes: The routes of the scheme `run`.
    ///   - configuration: The whole configuration, in place of routes.
    ///   - tools: Shell scripts by name. `asked "$@"` in one writes its arguments to the file `NAME.N`, where N counts the
    ///     calls, and `stand` waits until its window was visible long enough.
    ///   - hasDisplay: Whether the daemon has a display.
    /// - Throws: ``TestFailure`` if the daemon does not become ready.
    init(_ routes: String = "", configuration: String? = nil, tools: [String: String], hasDisplay: Bool = true) throws {
        directory = try TemporaryDirectory()
        let folder = directory.path
        try directory.write("", to: "run/.hidden")
        for (name, text) in tools {
            let script = """
                #!/bin/sh
                asked() { n=1; while [ -e \(folder)/\(name).$n ]; do n=$((n + 1)); done
                    printf '%s\\n' "$@" >\(folder)/new && mv \(folder)/new \(folder)/\(name).$n; }
                stand() { sleep 3.2; }
                \(text)

                """
            chmod(try directory.write(script, to: "bin/\(name)"), 0o755)
        }
        // Only the tools of this machine that scripts need are found.
        for name in ["sh", "sleep", "mv", "env", "printf", "cat", "rm", "true", "busctl", "setsid", "setpriv"] {
            for place in ["/bin", "/usr/bin"] { symlink("\(place)/\(name)", "\(folder)/bin/\(name)") }
        }
        variables = [
            "PATH=\(folder)/bin", "HOME=\(folder)", "XDG_RUNTIME_DIR=\(folder)/run", "DISPLAY=",
            "WAYLAND_DISPLAY=\(hasDisplay ? "display" : "")", "DBUS_SESSION_BUS_ADDRESS=unix:path=\(folder)/none",
        ]
        daemon = try RunningDaemon(
            configuration ?? "schemes: [run]\nroutes:\n\(routes)\n",
            preparation: "export \(variables.joined(separator: " "))")
    }

    /// Returns the answer to a request on a separate connection.
    func ask(_ action: String) throws -> String? { try daemon.connect().ask("run:/\(action)") }

    /// Passes a URL to the daemon as the desktop does; returns the exit status.
    func handle(_ action: String) throws -> Int32 {
        try run(["handle", "--socket", daemon.socket, "--", "run:/\(action)"])
    }

    /// Starts the command.
    func start(_ words: [String], environment: [String] = []) throws -> ChildProcess {
        let output = directory.path(of: "output")
        return try ChildProcess(
            [try RunningDaemon.program("xcallback")] + words, environment: variables + environment, output: output)
    }

    /// Runs the command to its end.
    func run(_ words: [String]) throws -> Int32 { try start(words).wait() }

    /// The output of the command.
    var output: String { get throws { try directory.text(of: "output") } }

    /// Returns the number of calls of a tool.
    func count(_ name: String) -> Int {
        var count = 0
        while access(directory.path(of: "\(name).\(count + 1)"), F_OK) == 0 { count += 1 }
        return count
    }

    /// Returns the arguments of a tool's call, one per line, except that a text may have several lines.
    func arguments(_ name: String, _ number: Int = 1) throws -> String { try directory.text(of: "\(name).\(number)") }

    /// Returns the path of a desktop file.
    func path(of name: String) -> String { directory.path(of: name) }

    /// Waits until a tool has written its number to the file `process`.
    func waitForProcess() throws -> Int32 {
        try wait { access(path(of: "process"), F_OK) == 0 }
        return Int32(try directory.text(of: "process").prefix { $0.isNumber }) ?? 0
    }

    /// Waits until a condition is true.
    func wait(until condition: () throws -> Bool) throws {
        try daemon.ask("other:/nothing", on: daemon.connect(), until: condition)
    }
}
