import Glibc

/// What a program that has ended left behind.
struct ProgramResult: Hashable {
    /// The exit status; 128 and the number of the signal if one ended it.
    var status: Int32
    var output = ""
    var errors = ""
}

/// Something that a test needs and the system refused.
struct TestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ call: String) {
        description = "\(call): \(String(cString: strerror(errno)))"
    }
}

/// One of the package's programs, running with sockets for its output; it is killed if the test forgets it.
struct SpawnedProgram: ~Copyable {
    private let process: pid_t
    private let output: Int32
    private let errors: Int32

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - name: Its name beside the tests.
    ///   - arguments: Its arguments.
    ///   - environment: Its whole environment, as `NAME=value`.
    ///   - directory: Where it runs.
    ///   - file: Where its standard output goes instead of the socket.
    /// - Throws: ``TestFailure`` if it cannot be started.
    init(
        _ name: String, _ arguments: [String], environment: [String] = [], in directory: String,
        output file: String? = nil
    ) throws {
        let outputEnds = try makeStream()
        let errorEnds = try makeStream()
        defer { for end in [outputEnds.writing, errorEnds.writing] { close(end) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, outputEnds.writing, 1)
        posix_spawn_file_actions_adddup2(&actions, errorEnds.writing, 2)
        if let file { posix_spawn_file_actions_addopen(&actions, 1, file, O_WRONLY, 0) }
        // Swift's Glibc lacks `posix_spawn_file_actions_addchdir_np`.
        let path = "/usr/bin/env"
        let command = [path, "-C", directory, "\(try programDirectory())/\(name)"] + arguments
        let words = command.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var process: pid_t = 0
        errno = posix_spawn(&process, path, &actions, nil, words, variables)
        guard errno == 0 else { throw TestFailure("posix_spawn \(path)") }
        self.process = process
        output = outputEnds.reading
        errors = errorEnds.reading
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        close(output)
        close(errors)
    }

    /// Ends reading from its standard output, so that its writing fails.
    func stopReading() throws {
        guard shutdown(output, Int32(SHUT_RD)) == 0 else { throw TestFailure("shutdown") }
    }

    /// Waits for a line of its standard output.
    func readLine() throws -> String {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            var byte: UInt8 = 0
            guard read(output, &byte, 1) == 1 else { throw TestFailure("read") }
            line.append(byte)
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// Reads a line of its standard output if one comes within a moment.
    func readLineNow() throws -> String? {
        var member = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        return poll(&member, 1, 100) == 1 ? try readLine() : nil
    }

    /// Sends it a signal.
    func send(signal: Int32) {
        kill(process, signal)
    }

    /// Waits for its end.
    consuming func finish() throws -> ProgramResult {
        let text = try readAll(output)
        let errorText = try readAll(errors)
        var info = siginfo_t()
        // It stays a zombie, so that its number cannot be another process's when it is killed and reaped.
        while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) < 0 {
            guard errno == EINTR else { throw TestFailure("waitid") }
        }
        let value = info._sifields._sigchld.si_status
        let status = info.si_code == CLD_EXITED ? value : 128 + value
        return ProgramResult(status: status, output: text, errors: errorText)
    }
}

/// A pair of sockets in place of a pipe: with `SOCK_CLOEXEC`, no other program that is started meanwhile keeps an end.
private func makeStream() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
        throw TestFailure("socketpair")
    }
    return (ends[0], ends[1])
}

private func readAll(_ descriptor: Int32) throws -> String {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &part, part.count)
        if count < 0, errno != EINTR { throw TestFailure("read") }
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += part.prefix(max(count, 0))
    }
}

/// The folder of the running tests, in which the programs are built too.
private func programDirectory() throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { throw TestFailure("readlink") }
    let path = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
}
