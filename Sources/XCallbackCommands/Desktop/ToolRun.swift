import CLinux
import Glibc

/// A program of the system that the command asks for something, to its end or for a time.
struct ToolRun {
    /// How it has ended.
    enum Ending: Hashable {
        /// By itself, with a status; 128 and the number of the signal if one ended it.
        case exited(Int32)
        /// It still ran when its time was over.
        case running
        /// It could not be started.
        case notStarted(String)
    }

    let ending: Ending
    /// What it wrote on standard output, as far as that was wanted.
    var output = ""

    /// How much of a program's output is taken.
    private static let outputLimit = 65_536

    /// Runs a program and takes its output.
    ///
    /// - Parameters:
    ///   - arguments: The program, looked for in `PATH`, and its arguments.
    ///   - limit: How long it may take; then it is killed.
    init(asking arguments: [String], limit: Duration = .seconds(10)) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            ending = .notStarted(systemMessage(errno))
            return
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let started = Self.start(arguments, output: ends[1], showsErrors: false, environment: ["LC_ALL=C"])
        close(ends[1])
        defer { close(ends[0]) }
        guard case .success(let process) = started else {
            ending = Self.failure(started)
            return
        }
        let deadline = ContinuousClock.now + limit
        output = Self.readAll(ends[0], until: deadline)
        if let status = process.wait(until: deadline) {
            ending = .exited(status)
        } else {
            kill(process.id, SIGKILL)
            ending = process.wait(until: nil).map { .exited($0) } ?? .running
        }
    }

    /// Runs a program whose output is the command's own.
    ///
    /// - Parameters:
    ///   - arguments: The program, looked for in `PATH`, and its arguments.
    ///   - environment: What its environment has besides the command's own, as `NAME=value`.
    ///   - limit: How long it is waited for; then it is left alone.
    init(starting arguments: [String], environment: [String] = [], limit: Duration) {
        let started = Self.start(arguments, output: STDERR_FILENO, environment: environment)
        guard case .success(let process) = started else {
            ending = Self.failure(started)
            return
        }
        ending = process.wait(until: .now + limit).map { .exited($0) } ?? .running
    }

    /// A program that was started.
    private struct Process {
        let id: pid_t

        /// Its exit status; nil if it runs beyond a time, if there is one.
        func wait(until deadline: ContinuousClock.Instant?) -> Int32? {
            guard let deadline else { return reap(0) }
            let handle = pidfd_open(id, 0)
            defer { close(handle) }
            guard isReady(handle, until: deadline) else { return nil }
            return reap(WNOHANG)
        }

        private func reap(_ options: Int32) -> Int32? {
            var status: Int32 = 0
            while true {
                let result = waitpid(id, &status, options)
                if result == id { return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F }
                if result == 0 || errno != EINTR { return nil }
            }
        }
    }

    private struct StartFailure: Error {
        let reason: String
    }

    private static func failure(_ started: Result<Process, StartFailure>) -> Ending {
        guard case .failure(let failure) = started else { return .running }
        return .notStarted(failure.reason)
    }

    private static func start(
        _ arguments: [String], output: Int32, showsErrors: Bool = true, environment: [String]
    ) -> Result<Process, StartFailure> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        if !showsErrors { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The command ignores SIGPIPE, and programs would inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let names = environment.map { $0.prefix { $0 != "=" } + "=" }
        let kept = ownEnvironment.filter { variable in !names.contains { variable.hasPrefix($0) } }
        let words = arguments.map { strdup($0) } + [nil]
        let variables = (kept + environment).map { strdup($0) } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var id: pid_t = 0
        let code = posix_spawnp(&id, arguments[0], &actions, &attributes, words, variables)
        return code == 0 ? .success(Process(id: id)) : .failure(StartFailure(reason: systemMessage(code)))
    }

    private static var ownEnvironment: [String] {
        var variables: [String] = []
        var pointer = environ
        while let variable = pointer.pointee {
            variables.append(String(cString: variable))
            pointer = pointer.advanced(by: 1)
        }
        return variables
    }

    private static func readAll(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while bytes.count < outputLimit, isReady(descriptor, until: deadline) {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            bytes += part[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a program is in `PATH`.
    static func isInstalled(_ name: String) -> Bool {
        (variable("PATH") ?? "/usr/bin:/bin").split(separator: ":").contains { isExecutable("\($0)/\(name)") }
    }

    /// Whether there is a program at a path.
    static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }
}

/// Waits until a descriptor can be read; false if that takes too long.
private func isReady(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
    while true {
        let left = max(ContinuousClock.now.duration(to: deadline), .zero)
        var members = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        let result = poll(&members, 1, Int32(left / .milliseconds(1)))
        if result >= 0 || errno != EINTR { return result > 0 }
    }
}
