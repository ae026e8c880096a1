import CLinux
import Glibc
import Synchronization
import XCallbackLinux

/// A process that was just started, with its pidfd.
struct SpawnedChild: ~Copyable {
    /// The process ID, which is also the group ID; it cannot be reused until the child is reaped.
    let processID: pid_t
    /// The pidfd, which becomes readable when the process ends.
    let handle: Descriptor

    /// Takes over a process that was started.
    ///
    /// - Parameter processID: The process ID.
    /// - Throws: ``SystemError`` if the system is out of descriptors; then no process is left.
    init(_ processID: pid_t) throws(SystemError) {
        let number = xcb_process_open(processID)
        let code = errno
        guard number >= 0 else {
            Self.discard(processID)
            throw SystemError("pidfd_open", code: code)
        }
        handle = Descriptor(number)
        self.processID = processID
    }

    /// Kills a process that was just started and its group, and reaps it.
    static func discard(_ processID: pid_t) {
        _ = xcb_kill(-processID, SIGKILL)
        var information = siginfo_t()
        while xcb_process_wait(P_PID, id_t(processID), &information) < 0, errno == EINTR {}
    }
}

/// Starts programs, one at a time.
struct Spawner: Sendable {
    /// Starting a program blocks until it runs, which takes long on a busy machine.
    private let queue = WorkQueue()

    /// Starts a program on a queue of its own.
    ///
    /// - Parameters:
    ///   - plan: The program.
    ///   - chance: The start's chance: if it is already claimed, the program is not started.
    /// - Returns: The process ID or the error; nil if the program was not started.
    func start(_ plan: SpawnPlan, _ chance: SpawnChance) async -> Result<pid_t, SystemError>? {
        do throws(SystemError) {
            return try await queue.run {
                chance.take() ? Result { () throws(SystemError) in try plan.start() } : nil
            }
        } catch {
            return chance.take() ? .failure(error) : nil
        }
    }

    /// Waits until the start in progress is complete.
    func finish() { queue.finish(within: .seconds(2)) }
}

/// The chance of a program to start: claimed by the spawner or by the code that gives the program up.
final class SpawnChance: Sendable {
    private let isTaken = Atomic(false)

    /// Claims the chance.
    ///
    /// - Returns: Whether it was still available.
    func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}

/// The parameters of a start.
struct SpawnPlan: Sendable {
    let command: ChildCommand
    /// The standard streams, open until the start is complete; -1 if discarded.
    let streams: (input: Int32, output: Int32, errors: Int32)
    /// The program's limit of descriptors.
    let descriptorLimit: rlim_t

    /// Starts the program, and returns once it runs.
    ///
    /// The program leads a group of its own (or a session), has no signals blocked or ignored, and inherits only its standard
    /// streams.
    ///
    /// - Returns: The process ID.
    /// - Throws: ``SystemError`` if the program cannot be started; then no process is left.
    func start() throws(SystemError) -> pid_t {
        do throws(SystemError) {
            return try SystemError.check("execve") { spawn() }
        } catch {
            if error.code == EAGAIN { throw .taskShortage("processes", code: error.code) }
            guard let folder = command.folder, !isFolder(folder) else { throw error }
            throw SystemError("chdir", code: error.code)
        }
    }

    private func spawn() -> pid_t {
        withPointers(to: paths) { paths in
            withPointers(to: command.arguments) { arguments in
                withPointers(to: command.environment) { environment in
                    withPointers(to: command.folder.map { [$0] } ?? []) { folder in
                        var program = xcb_program(
                            paths: paths, arguments: arguments, environment: environment, folder: folder[0],
                            input: streams.input, output: streams.output, errors: streams.errors,
                            descriptor_limit: descriptorLimit, leads_session: command.isDetached ? 1 : 0)
                        return xcb_spawn(&program)
                    }
                }
            }
        }
    }

    /// The paths at which the program may be, in the order of execvp(3).
    private var paths: [[UInt8]] {
        guard let name = command.arguments.first, !name.contains(UInt8(ascii: "/")) else {
            return Array(command.arguments.prefix(1))
        }
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
        // A relative folder would depend on the working directory.
        return folders.utf8.split(separator: UInt8(ascii: ":")).filter { $0.first == UInt8(ascii: "/") }.map { folder in
            Array(folder) + [UInt8(ascii: "/")] + name
        }
    }
}

/// Whether a path is a directory that may be entered.
private func isFolder(_ path: [UInt8]) -> Bool {
    let path = String(decoding: path, as: UTF8.self)
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && access(path, X_OK) == 0
}

/// A pipe with both ends, or nothing.
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

/// Creates an in-memory file with some bytes, to be read from the start.
func makeInput(_ bytes: [UInt8]) throws(SystemError) -> Descriptor {
    let file = Descriptor(try SystemError.check("memfd_create") { xcb_memory_file("input") })
    var written = 0
    while written < bytes.count {
        let number = file.number
        written += Int(
            try SystemError.check("pwrite") {
                bytes[written...].withUnsafeBytes { rest in
                    Int32(clamping: xcb_write_at(number, rest.baseAddress, rest.count, off_t(written)))
                }
            })
    }
    return file
}

/// Returns the limit of descriptors of this process.
func descriptorLimit() -> rlimit {
    var limit = rlimit()
    // Cannot fail: the arguments are valid.
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit
}
