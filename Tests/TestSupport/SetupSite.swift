import Glibc
package import XCallbackTesting

/// A user's home for setups of examples, with the installed command and examples of the test.
///
/// Root has no daemon of its own, so tests that run as root run the command as another user.
package final class SetupSite {
    /// The user who runs commands if root runs the test.
    private let user: UInt32
    /// A note keeper like the shipped one, with a route that links reach.
    package static let notes = """
        # Notes: files in ~/Notes. For tests.
        #
        #   xcallback open notes:/new
        #
        # setup: try notes:/new?title=First%20note&text=It%20works.
        # setup: show notes:/read/First%20note
        # setup: keeps ~/Notes

        schemes: [notes]
        routes:
          - route: notes:/new
            title: Write a note
            menu: true
            public: true
            policies: [{ confirm: { exec: [ask] } }]
            input: { title: string, text: string }
            exec: [./notes, new, --, "{title}", "{text}"]
            output: none
          - route: notes:/read/:title
            exec: [./notes, read, --, "{title}"]

        """

    package let site: DesktopSite
    private var daemon: ChildProcess?
    /// The home of the user.
    package var home: TemporaryDirectory { site.directory }

    /// Creates a home, with the example `notes` and its program.
    ///
    /// - Parameters:
    ///   - notes: The text of the example.
    ///   - session: Additional environment variables, which identify the desktop.
    ///   - user: The user who runs commands if root runs the test.
    /// - Throws: ``TestFailure`` if it cannot be created.
    package init(_ notes: String = notes, session: [String] = ["DISPLAY=:99"], user: UInt32 = 65_534) throws {
        self.user = user
        site = try DesktopSite(session: session)
        let home = site.directory
        try home.write("", to: "prefix/bin/.keep")
        try ChildProcess.run(["/bin/cp", RunningDaemon.program("xcallback"), home.path(of: "prefix/bin/xcallback")])
        try home.write(notes, to: "prefix/share/xcallbackd/examples/notes/notes.yaml")
        try install(
            "notes", in: "prefix/share/xcallbackd/examples/notes", textOfPackageFile("config/examples/notes/notes"))
        try install("ask", in: "bin", "#!/bin/sh\necho asked >>\"$HOME/asked\"\nexec test ! -e \"$HOME/no\"\n")
        try home.write("mine\n", to: "mine")
        try giveAway()
    }

    deinit {
        // The daemon that the stand-in of the service manager has started has a session of its own.
        guard let text = try? home.text(of: "run/process"), let id = Int32(text.prefix { $0 != "\n" }) else { return }
        kill(id, SIGKILL)
    }

    /// Writes an executable file.
    package func install(_ name: String, in folder: String, _ text: String) throws {
        chmod(try home.write(text, to: "\(folder)/\(name)"), 0o755)
    }

    /// Gives everything in the home to its user.
    package func giveAway() throws {
        guard geteuid() == 0 else { return }
        try ChildProcess.run(["/bin/chown", "-R", "\(user):\(user)", home.path])
    }

    /// Returns the command that runs a program as the user, without a named socket.
    private func words(_ words: [String], environment: [String] = [], under tool: [String] = []) -> [String] {
        return ["-u", "XCALLBACK_SOCKET", "PATH=\(home.path)/prefix/bin:\(home.path)/bin:/usr/bin:/bin"]
            + environment + tool + asUser + words
    }

    /// The command that runs a program as the user; empty if that user runs the test.
    package var asUser: [String] {
        geteuid() == 0
            ? ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"] : []
    }

    /// Runs a program as the user until it exits.
    @discardableResult
    package func run(_ program: String..., environment: [String] = []) throws -> DesktopSite.Result {
        try run(program, environment: environment)
    }

    /// Runs `xcallback setup` as the user until it exits.
    package func setup(_ arguments: String..., environment: [String] = []) throws -> DesktopSite.Result {
        try run(["xcallback", "setup"] + arguments, environment: environment)
    }

    /// Starts `xcallback setup` as the user.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - output: The output file in the home.
    /// - Throws: ``TestFailure`` if it cannot be started.
    /// - Returns: The command.
    package func startSetup(_ arguments: String..., to output: String) throws -> ChildProcess {
        try site.start(words(["xcallback", "setup"] + arguments), to: output)
    }

    /// Runs a program as the user until it exits.
    ///
    /// - Parameters:
    ///   - program: The command.
    ///   - environment: Additional environment variables.
    ///   - tool: The command of a program that root runs, and that switches to the user.
    /// - Throws: ``TestFailure`` if it cannot be run.
    /// - Returns: The result.
    @discardableResult
    package func run(_ program: [String], environment: [String] = [], under tool: [String] = []) throws
        -> DesktopSite.Result
    {
        let output = "/tmp/\(home.path.dropFirst(5))-output-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(output) }
        let child = try site.start(
            words(program, environment: environment, under: tool), to: "../\(output.dropFirst(5))")
        let status = try child.wait(within: .seconds(300))
        return DesktopSite.Result(status: status, output: try textOfFile(output))
    }

    /// Starts the user's daemon by hand, which needs a configuration, and waits until it answers; it ends with the site.
    @discardableResult
    package func startDaemon(_ arguments: String...) throws -> ChildProcess {
        let daemon = try site.start(words([try RunningDaemon.program("xcallbackd")] + arguments), to: "run/log")
        try waitUntil("the daemon answers") {
            guard daemon.isRunning else { throw TestFailure("the daemon has ended: \(try home.text(of: "run/log"))") }
            return try run("xcallback", "status").status == 0
        }
        self.daemon = daemon
        return daemon
    }

    /// Installs a stand-in for the service manager's tool that starts and stops the daemon.
    ///
    /// - Parameters:
    ///   - isEnabled: Whether the socket's unit is already enabled.
    ///   - variables: The manager's environment; nil if it does not answer that question.
    /// - Throws: ``TestFailure`` if it cannot be written.
    package func installServiceManager(isEnabled: Bool = false, variables: String? = nil) throws {
        let daemon = try RunningDaemon.program("xcallbackd")
        try install(
            "systemctl", in: "bin",
            """
            #!/bin/sh
            # A stand-in for the user's service manager.
            link=$HOME/.config/systemd/user/sockets.target.wants/xcallbackd.socket
            start() {
                xcallback status >/dev/null 2>&1 && return
                setsid "\(daemon)" >/dev/null 2>>"$XDG_RUNTIME_DIR/log" &
                echo $! >"$XDG_RUNTIME_DIR/process"
                until xcallback status >/dev/null 2>&1; do kill -0 $! || exit 1; done
            }
            stop() {
                kill "$(cat "$XDG_RUNTIME_DIR/process")"
                rm "$XDG_RUNTIME_DIR/process"
                while xcallback status >/dev/null 2>&1; do :; done
            }
            case "$*" in
            *' show '*' xcallbackd.socket')
                state=disabled
                [ ! -e "$link" ] || state=enabled
                printf 'LoadState=loaded\\nActiveState=inactive\\nUnitFileState=%s\\n' $state ;;
            *' enable --now xcallbackd.socket') mkdir -p "${link%/*}" && : >"$link" && start ;;
            *' disable --now xcallbackd.socket')
                rm "$link" && rmdir "${link%/*}" && stop ;;
            *' start xcallbackd.socket') start ;;
            *' show-environment') \(variables.map { "echo '\($0)'" } ?? "exit 1") ;;
            *' stop xcallbackd.service' | *' stop xcallbackd.socket') stop ;;
            *) exit 1 ;;
            esac

            """)
        // The service manager runs, and answers.
        try home.write("", to: "run/systemd/private")
        if isEnabled { try home.write("", to: ".config/systemd/user/sockets.target.wants/xcallbackd.socket") }
        try giveAway()
    }

    /// Returns the files of the home except for those of the session's programs: paths, modes and contents.
    ///
    /// The desktop's cache stays after a removal.
    package func contents() throws -> String {
        try run(
            "sh", "-c",
            """
            cd "$HOME" && find . \\( -path ./run -o -path ./reports -o -path ./asked -o -path ./Notes -o \
            -name mimeinfo.cache \\) -prune -o ! -type d -printf '%p %M %l\\n' -type f -exec md5sum {} + | sort
            """
        ).output
    }
}
