import CLinux
import Glibc

/// A program that a test runs; it is killed when the test releases it.
package final class ChildProcess {
    /// The process ID.
    package let id: Int32
    /// A descriptor that becomes readable when the program has ended.
    package let descriptor: Int32
    /// The command, for failures.
    private let command: String
    private var status: Int32?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: The path of the program, then its arguments.
    ///   - environment: The complete environment, as `NAME=value`.
    ///   - input: The file of its standard input.
    ///   - output: The file that its standard output is appended to.
    ///   - error: The file that its standard error is appended to; nil for that of its output.
    ///   - passed: Its descriptor 3.
    /// - Throws: ``TestFailure`` if it cannot be started.
    package init(
        _ arguments: [String], environment: [String] = [], input: String = "/dev/null", output: String = "/dev/null",
        error: String? = nil, passing passed: Int32? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, error ?? output, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        if let passed { posix_spawn_file_actions_adddup2(&actions, passed, 3) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of a test may block signals, which the program would inherit.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = arguments.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for word in words + variables { free(word) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, arguments[0], &actions, &attributes, &words, &variables)
        guard code == 0 else { throw TestFailure("cannot run \(arguments[0])", code: code) }
        self.id = id
        command = arguments.joined(separator: " ")
        descriptor = pidfd_open(id, 0)
    }

    /// Runs a program to its end.
    ///
    /// - Returns: Its exit status, and all that it has written.
    @discardableResult
    package static func run(
        _ arguments: [String], environment: [String] = [], input: String = "/dev/null",
        within limit: Duration = .seconds(60)
    ) throws -> (status: Int32, output: String) {
        let directory = try TemporaryDirectory()
        let output = directory.path(of: "output")
        let process = try ChildProcess(arguments, environment: environment, input: input, output: output)
        return (try process.wait(within: limit), try directory.text(of: "output"))
    }

    deinit {
        if status == nil {
            kill(id, SIGKILL)
            waitpid(id, nil, 0)
        }
        close(descriptor)
    }

    /// Sends a signal.
    package func send(signal number: Int32) {
        if status == nil { kill(id, number) }
    }

    /// Stops all threads of the program until it gets SIGCONT.
    ///
    /// - Throws: ``TestFailure`` if it has ended.
    package func pause() throws {
        send(signal: SIGSTOP)
        // The signal alone does not reveal when the last thread has stopped; WNOWAIT leaves the state change for the next wait.
        var news = siginfo_t()
        var result: Int32
        repeat {
            result = waitid(P_PID, id_t(id), &news, WSTOPPED | WEXITED | WNOWAIT)
        } while result < 0 && errno == EINTR
        _ = try TestFailure.check("waitid", result)
        guard news.si_code == Int32(CLD_STOPPED) else { throw TestFailure("it has ended: \(command)") }
    }

    /// Whether the program still runs.
    package var isRunning: Bool {
        var members = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        return status == nil && poll(&members, 1, 0) == 0
    }

    /// Waits until the program has ended.
    ///
    /// - Parameter limit: The timeout.
    /// - Returns: Its exit status; 128 plus the signal's number if a signal has ended it.
    /// - Throws: ``TestFailure`` if it has not ended by then.
    @discardableResult
    package func wait(within limit: Duration = .seconds(60)) throws -> Int32 {
        if let status { return status }
        var members = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        var result: Int32
        repeat { result = poll(&members, 1, Int32(limit / .milliseconds(1))) } while result < 0 && errno == EINTR
        guard result == 1 else { throw TestFailure("it does not end within \(limit): \(command)") }
        var word: Int32 = 0
        guard waitpid(id, &word, 0) == id else { throw TestFailure("waitpid", code: errno) }
        let signal = word & 0x7f
        let ended = signal == 0 ? (word >> 8) & 0xff : 128 + signal
        status = ended
        return ended
    }
}
