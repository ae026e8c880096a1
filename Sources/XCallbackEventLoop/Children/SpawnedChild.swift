package import CLinux
import Glibc
import Synchronization
import XCallbackLinux

/// A process that was just started, with what the loop keeps of it.
struct SpawnedChild: ~Copyable {
    /// The process, which is also the number of its group; it is nobody else's until the child is reaped.
    let processID: pid_t
    /// The pidfd, which becomes readable when the process has ended.
    let handle: Descriptor

    /// Takes a process that was started.
    ///
    /// - Parameter processID: The process.
    /// - Throws: ``SystemError`` if the system is out of descriptors; no process is left then.
    init(_ processID: pid_t) throws(SystemError) {
        handle = try openHandle(processID)
        self.processID = processID
    }

    /// Kills a process that was just started with all of its group, and takes its status.
    static func discard(_ processID: pid_t) {
        _ = xcb_kill(-processID, SIGKILL)
        var information = siginfo_t()
        while xcb_process_wait(P_PID, id_t(processID), &information) < 0, errno == EINTR {}
    }
}

/// Starts programs, one at a time.
struct Spawner: Sendable {
    /// Who starts a program is held up until it runs, which takes long where the processors have other work.
    private let queue = WorkQueue(label: "xcallbackd.programs")

    /// Starts a program on a queue of its own.
    ///
    /// - Parameters:
    ///   - plan: The program.
    ///   - chance: Its only chance: if that is taken by then, the program is not started.
    /// - Returns: The process, or why there is none; nil if it was not started.
    func start(_ plan: SpawnPlan, _ chance: SpawnChance) async -> Result<pid_t, SystemError>? {
        await withCheckedContinuation { continuation in
            queue.async {
                let isWanted = chance.take()
                continuation.resume(
                    returning: isWanted ? Result { () throws(SystemError) in try plan.start() } : nil)
            }
        }
    }

    /// Waits until what is being started has been.
    func finish() { queue.finish(within: .seconds(2)) }
}

/// The only chance of a program to be started: the spawner takes it, or who gives the program up.
final class SpawnChance: Sendable {
    private let isTaken = Atomic(false)

    /// Takes it.
    ///
    /// - Returns: Whether nobody had.
    func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}

/// What a program is started with.
struct SpawnPlan: Sendable {
    let command: ChildCommand
    /// Its standard streams, which stay open until it was started; nil where they go nowhere.
    let streams: (input: Int32, output: Int32?, errors: Int32?)
    /// How many descriptors it may have.
    let descriptorLimit: rlim_t

    /// Starts the program, and returns once it runs.
    ///
    /// It leads a group of its own (or a session), has no signal blocked or ignored, and inherits nothing but its
    /// standard streams.
    ///
    /// - Returns: The process.
    /// - Throws: ``SystemError`` if it cannot be started; no process is left then.
    func start() throws(SystemError) -> pid_t {
        do throws(SystemError) {
            return try SystemError.check("execve") { spawn() }
        } catch {
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
                            input: streams.input, output: streams.output ?? -1, errors: streams.errors ?? -1,
                            descriptor_limit: descriptorLimit, leads_session: command.isDetached ? 1 : 0)
                        return xcb_spawn(&program)
                    }
                }
            }
        }
    }

    /// Where the program may be, as execvp(3) looks for it.
    private var paths: [[UInt8]] {
        guard let name = command.arguments.first, !name.contains(UInt8(ascii: "/")) else {
            return Array(command.arguments.prefix(1))
        }
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
        return folders.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { folder in
            let path = folder.isEmpty ? name : Array(folder) + [UInt8(ascii: "/")] + name
            // The program may run in another folder, which must not decide which program it is.
            return command.folder == nil || path.first == UInt8(ascii: "/") ? path : ownFolder + path
        }
    }

    /// The folder of this process, with a slash at its end.
    private var ownFolder: [UInt8] {
        let path = getcwd(nil, 0)
        defer { free(path) }
        return path.map { Array(String(cString: $0).utf8) + [UInt8(ascii: "/")] } ?? []
    }
}

/// Whether a path is that of a folder which may be entered.
private func isFolder(_ path: [UInt8]) -> Bool {
    let path = String(decoding: path, as: UTF8.self)
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && access(path, X_OK) == 0
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
    let number = xcb_process_open(processID)
    let code = errno
    if number >= 0 { return Descriptor(number) }
    SpawnedChild.discard(processID)
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
                    Int32(clamping: xcb_write_at(number, rest.baseAddress, rest.count, off_t(written)))
                }
            })
    }
    return file
}

/// The limit of descriptors of this process.
func descriptorLimit() -> rlimit {
    var limit = rlimit()
    // It cannot fail: the arguments are valid.
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit
}

/// Gives the program all signals as they are by default: none blocked, none ignored.
package func setSignals(_ attributes: inout posix_spawnattr_t) {
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
}
