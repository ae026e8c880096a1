import CLinux
import Glibc

/// A process that was just started, with what the loop keeps of it.
struct SpawnedChild: ~Copyable {
    /// The process, which is also the number of its group; it is nobody else's until the child is reaped.
    let processID: pid_t
    /// The pidfd, which becomes readable when the process has ended.
    let handle: Descriptor

    /// Starts a program.
    ///
    /// It leads a group of its own (or a session), has no signal blocked or ignored, and inherits nothing but its
    /// standard streams. Its input is a file in memory, so that nobody has to feed it.
    ///
    /// - Parameters:
    ///   - command: The program.
    ///   - streams: Its standard streams, whose side of the program is closed.
    ///   - descriptorLimit: How many descriptors it may have.
    /// - Throws: ``SystemError`` if it cannot be started; no process is left then.
    init(_ command: ChildCommand, _ streams: inout StreamPair, descriptorLimit: rlim_t) throws(SystemError) {
        let (input, output, errors) = streams.numbers()
        let processID = try spawn(
            command, input: input, output: output, errors: errors, descriptorLimit: descriptorLimit)
        // What only the program needs is closed first, so that there is room for the descriptor of the process.
        streams.closeProgramSide()
        handle = try openHandle(processID)
        self.processID = processID
    }
}

/// A pipe with its two ends, or nothing.
struct Pipe: ~Copyable {
    var reading: Descriptor?
    var writing: Descriptor?

    init(isNeeded: Bool) throws(SystemError) {
        guard isNeeded else { return }
        var ends: [Int32] = [-1, -1]
        _ = try SystemError.check("pipe") { xcb_pipe(&ends) }
        reading = Descriptor(ends[0])
        writing = Descriptor(ends[1])
    }
}

/// Opens the descriptor that tells when a process has ended; if there is none, the process ends before it has begun.
private func openHandle(_ processID: pid_t) throws(SystemError) -> Descriptor {
    let number = pidfd_open(processID, 0)
    let code = errno
    if number >= 0 { return Descriptor(number) }
    kill(-processID, SIGKILL)
    while waitpid(processID, nil, 0) < 0, errno == EINTR {}
    throw SystemError("pidfd_open", code: code)
}

extension ChildCommand {
    /// Whether anybody wants its standard output.
    var keepsOutput: Bool { output != .discarded && !isDetached }
}

/// Makes a file in memory that holds some bytes and is read from its beginning.
func makeInput(_ bytes: [UInt8]) throws(SystemError) -> Descriptor {
    let file = Descriptor(try SystemError.check("memfd_create") { xcb_memory_file("input") })
    var written = 0
    while written < bytes.count {
        let number = file.number
        written += Int(
            try SystemError.check("pwrite") {
                bytes[written...].withUnsafeBytes { rest in
                    Int32(clamping: pwrite(number, rest.baseAddress, rest.count, off_t(written)))
                }
            })
    }
    return file
}

private func spawn(
    _ command: ChildCommand, input: Int32, output: Int32?, errors: Int32?, descriptorLimit: rlim_t
) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    for (number, stream) in [(output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
        if let number {
            posix_spawn_file_actions_adddup2(&actions, number, stream)
        } else {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
        }
    }
    xcb_spawn_close_from(&actions, STDERR_FILENO + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    setSignals(&attributes)
    let group = command.isDetached ? Int32(XCB_SPAWN_SETSID) : POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(
        &attributes, Int16(group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var processID: pid_t = 0
    let code = withPointers(to: command.arguments) { arguments in
        withPointers(to: command.environment) { environment in
            guard let program = arguments[0] else { return EINVAL }
            return withDescriptorLimit(descriptorLimit) {
                posix_spawnp(&processID, program, &actions, &attributes, arguments, environment)
            }
        }
    }
    guard code == 0 else { throw SystemError("posix_spawn", code: code) }
    return processID
}

/// The limit of descriptors of this process.
func descriptorLimit() -> rlimit {
    var limit = rlimit()
    // It cannot fail: the arguments are valid.
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit
}

/// Calls a function while this process may have fewer descriptors, as programs inherit the limit.
///
/// What is open stays open, and nothing but the loop opens descriptors.
private func withDescriptorLimit(_ count: rlim_t, _ body: () -> Int32) -> Int32 {
    let limit = descriptorLimit()
    guard count < limit.rlim_cur else { return body() }
    var lowered = limit
    lowered.rlim_cur = count
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &lowered)
    defer {
        var restored = limit
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &restored)
    }
    return body()
}

/// Gives the program all signals as they are by default: none blocked, none ignored.
func setSignals(_ attributes: inout posix_spawnattr_t) {
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
}

/// Calls a function with texts as C takes them: each ends with a NUL, and the list with a null pointer.
func withPointers<Result>(
    to texts: [[UInt8]], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    // One piece of memory for all, and where in it each begins.
    var bytes: [CChar] = []
    var starts: [Int] = []
    for text in texts {
        starts.append(bytes.count)
        bytes += text.map { CChar(bitPattern: $0) }
        bytes.append(0)
    }
    return bytes.withUnsafeMutableBufferPointer { buffer in
        var pointers: [UnsafeMutablePointer<CChar>?] = []
        for start in starts { pointers.append(buffer.baseAddress.map { $0 + start }) }
        pointers.append(nil)
        return body(pointers)
    }
}
