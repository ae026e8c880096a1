import Glibc

/// The daemon as users run it: the real program, with a socket, a configuration and a service manager of its own.
package final class RunningDaemon {
    /// The folder of all files of the daemon.
    package let directory: TemporaryDirectory
    /// The receiver of its notifications.
    package let manager: FakeServiceManager
    /// The process.
    package let process: ChildProcess

    /// The path of the socket.
    package var socket: String { directory.path(of: "socket") }
    /// The kernel's information about the process.
    package var state: ProcessState { ProcessState(of: process.id) }
    /// The standard error of the daemon.
    package var log: String { get throws { try directory.text(of: "stderr") } }
    /// The standard output of the daemon.
    package var output: String { get throws { try directory.text(of: "stdout") } }

    /// Starts the daemon; it may not be ready yet.
    ///
    /// - Parameters:
    ///   - configuration: The text of the configuration.
    ///   - arguments: The arguments besides `--config` and `--socket`.
    ///   - socket: Another path of the socket.
    ///   - directory: The folder of its files.
    ///   - environment: Additional environment variables, as `NAME=value`.
    ///   - preparation: Shell commands to run before the shell becomes the daemon.
    ///   - program: The path of the daemon, if not beside the tests.
    ///   - tool: The command of a program that runs and watches the daemon.
    ///   - listener: A socket that listens at `socket` and is passed to the daemon.
    /// - Throws: ``TestFailure`` if the daemon cannot be started.
    package init(
        starting configuration: String, arguments: [String] = [], socket: String? = nil,
        in directory: TemporaryDirectory? = nil, environment: [String] = [],
        preparation: String? = nil, program: String? = nil, under tool: [String] = [], passing listener: Int32? = nil
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        let file = try directory.write(configuration, to: "config.yaml")
        manager = try FakeServiceManager(address: "\(directory.path)/notify-\(UInt32.random(in: 0 ... .max))")
        var words = tool + [try program ?? Self.program("xcallbackd"), "--config", file]
        if listener == nil { words += ["--socket", socket ?? directory.path(of: "socket")] }
        words += arguments
        let passing = listener.map { _ in "export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=xcallbackd.socket" }
        if let preparation = preparation ?? passing {
            words = ["/bin/bash", "-c", "\(preparation); exec \"$0\" \"$@\""] + words
        }
        let own = ["HOME=/", "PATH=/usr/bin:/bin", "XDG_STATE_HOME=\(directory.path)/state"]
        process = try ChildProcess(
            words, environment: ["NOTIFY_SOCKET=\(manager.address)"] + own + environment,
            output: directory.path(of: "stdout"), error: directory.path(of: "stderr"), passing: listener)
    }

    /// Starts the daemon and waits until it is ready.
    package convenience init(
        _ configuration: String, environment: [String] = [], preparation: String? = nil
    ) throws {
        try self.init(
            starting: configuration, environment: environment,
            preparation: preparation)
        try waitUntilReady()
    }

    /// Waits until the daemon is ready, for some minutes if necessary.
    ///
    /// - Throws: ``TestFailure`` if it ends before, or does not become ready in time.
    package func waitUntilReady() throws {
        for _ in 0..<15 {
            guard let message = try? manager.receive() else {
                if process.isRunning { continue }
                break
            }
            guard message.hasPrefix("READY=1") else { throw TestFailure("instead of READY=1 came \(message)") }
            return
        }
        throw TestFailure("the daemon is not ready; it has written '\(try log)'")
    }

    /// Replaces the configuration and makes the daemon reload it.
    ///
    /// - Returns: The notification after the reload.
    /// - Throws: ``TestFailure`` if the notifications differ from the expected ones.
    @discardableResult
    package func reload(_ configuration: String) throws -> String {
        try directory.write(configuration, to: "config.yaml")
        process.send(signal: SIGHUP)
        let beginning = try manager.receive(besides: "STATUS=", "WATCHDOG=")
        guard beginning.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") else {
            throw TestFailure("instead of RELOADING=1 came \(beginning)")
        }
        let end = try manager.receive(besides: "STATUS=", "WATCHDOG=")
        guard end.hasPrefix("READY=1\nSTATUS=") else { throw TestFailure("instead of READY=1 came \(end)") }
        return end
    }

    /// Copies of the programs; nil unless root runs the tests where other users cannot reach the programs.
    private static let copies: TemporaryDirectory? = {
        let script = """
            setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$0/xcallback" && exit 1
            install -D --target-directory="$1" "$0/xcallback" "$0/xcallbackd" && chmod 755 "$1"
            """
        guard geteuid() == 0, let folder = try? programFolder(), let copies = try? TemporaryDirectory(),
            (try? ChildProcess.run(["/bin/sh", "-c", script, folder, copies.path]))?.status == 0
        else { return nil }
        atexit { RunningDaemon.copies.map { removeDirectory($0.path) } }
        return copies
    }()

    /// The path of a program of this package that every user can run, in its folder if possible.
    package static func program(_ name: String) throws -> String {
        if let copies, copies.contains(name) { return copies.path(of: name) }
        return "\(try programFolder())/\(name)"
    }

    /// The folder of the programs: `PROGRAMS`, or that of the tests.
    private static func programFolder() throws -> String {
        if let folder = getenv("PROGRAMS") { return String(cString: folder) }
        let own = try ownProgram()
        return String(own[..<(own.lastIndex(of: "/") ?? own.startIndex)])
    }

    /// The path of the program that runs the tests.
    package static func ownProgram() throws -> String {
        guard let path = targetOfLink("/proc/self/exe") else { throw TestFailure("cannot read /proc/self/exe") }
        return path
    }

    /// Repeats a request until a condition is true, for at most two minutes; each answer is a turn of the loop.
    ///
    /// - Parameters:
    ///   - line: The request.
    ///   - client: The client that sends it.
    ///   - condition: The condition.
    /// - Throws: ``TestFailure`` if it does not become true.
    package func ask(_ line: String, on client: LineClient, until condition: () throws -> Bool) throws {
        let start = ContinuousClock.now
        repeat {
            _ = try client.ask(line)
            if try condition() { return }
        } while ContinuousClock.now - start < .seconds(120)
        throw TestFailure("two minutes of answers to '\(line)' brought no change")
    }

    /// Connects a client.
    package func connect() throws -> LineClient { try LineClient(socket) }

    /// Stops the daemon.
    ///
    /// - Returns: Its exit status.
    @discardableResult
    package func stop(with signal: Int32 = SIGTERM) throws -> Int32 {
        process.send(signal: signal)
        return try process.wait()
    }
}
