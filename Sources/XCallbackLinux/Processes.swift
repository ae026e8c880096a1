package import CLinux
import Dispatch
import Glibc

/// A program that this process has started, and must reap.
///
/// Until it is reaped, the kernel keeps its ID and that of its group for it.
package final class SpawnedProcess: Sendable {
    /// How a program ended.
    package enum Ending: Hashable, Sendable {
        /// It exited with a status.
        case exited(status: Int32)
        /// A signal killed it.
        case killed(signal: Int32)

        /// The status as a shell shows it: 128 plus the number of a signal.
        package var status: Int32 {
            switch self {
            case .exited(let status): status
            case .killed(let signal): 128 + signal
            }
        }
    }

    /// The process group of a program.
    package enum Group: Sendable {
        /// That of this process: the program shares its terminal.
        case ofCaller
        /// One of its own, which gets the signals for the program.
        case own
        /// One of its own, in a session of its own.
        case ownSession
    }

    /// The process ID, which is also that of a group of its own.
    package let id: Int32
    /// The pidfd, which becomes readable when the program ends.
    package let handle: Descriptor
    private let group: Group

    /// Starts a program, and returns once it runs.
    ///
    /// It has no signals blocked or ignored, except SIGPIPE in a session of its own, and inherits only its standard streams.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments; a program without a slash is looked up in `PATH`.
    ///   - environment: The complete environment, as `NAME=value`.
    ///   - folder: The working directory; nil for that of this process.
    ///   - streams: Descriptors for its standard streams; -1 for none.
    ///   - group: The process group.
    ///   - descriptorLimit: The maximum number of open descriptors, if it is lower than that of this process.
    /// - Throws: ``SystemError`` if the program cannot be started; then no process is left.
    package init(
        _ arguments: [[UInt8]], environment: [[UInt8]], in folder: [UInt8]? = nil,
        streams: (input: Int32, output: Int32, errors: Int32), group: Group, descriptorLimit: rlim_t = .max
    ) throws(SystemError) {
        var program = xcb_program()
        (program.input, program.output, program.errors) = streams
        program.descriptor_limit = descriptorLimit
        program.leads_group = group == .own ? 1 : 0
        program.leads_session = group == .ownSession ? 1 : 0
        var number: Int32 = -1
        do throws(SystemError) {
            id = try SystemError.check("execve") {
                withPointers(to: [paths(of: arguments), arguments, environment, folder.map { [$0] } ?? []]) { lists in
                    (program.paths, program.arguments, program.environment) = (lists[0], lists[1], lists[2])
                    program.folder = UnsafePointer(lists[3].pointee)
                    return xcb_spawn(&program, &number)
                }
            }
        } catch {
            if error.code == EAGAIN { throw .taskShortage("processes", code: error.code) }
            guard let folder, !isFolder(folder) else { throw error }
            throw SystemError("chdir", code: error.code)
        }
        handle = Descriptor(number)
        self.group = group
    }

    /// Starts a program of the system for the command that the user runs, in whose process group it stays.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - variables: The variables that it gets in place of those of this process, as `NAME=value`.
    ///   - streams: Descriptors for its standard streams; -1 for none.
    /// - Throws: ``SystemError`` if the program cannot be started; then no process is left.
    package convenience init(
        _ words: [String], with variables: [String], streams: (input: Int32, output: Int32, errors: Int32)
    ) throws(SystemError) {
        // A program's notifications must not reach the service manager of this process.
        let names = variables.map { $0.prefix { $0 != "=" } + "=" } + ["NOTIFY_SOCKET="]
        let kept = inheritedVariables().filter { variable in !names.contains { variable.hasPrefix($0) } }
        try self.init(
            words.map { Array($0.utf8) }, environment: (kept + variables).map { Array($0.utf8) }, streams: streams,
            group: .ofCaller)
    }

    /// Sends a signal to the program, and to its group if that is its own.
    package func send(signal: Int32) {
        // The process may have left its group, which is then empty.
        if group == .ofCaller || xcb_kill(-id, signal) < 0 { _ = xcb_kill(id, signal) }
    }

    /// Whether its group has members; one that is not reaped is a member, too.
    package static func isGroup(_ id: Int32) -> Bool { xcb_kill(-id, 0) == 0 || errno == EPERM }

    /// Whether the program ends by a deadline.
    package func ends(by deadline: ContinuousClock.Instant) -> Bool { isReady(handle.number, until: deadline) }

    /// Waits for the end of the program, and reaps it.
    ///
    /// If this process ignores SIGCHLD, the status is lost, and signal 0 counts as its end.
    @discardableResult
    package func reap() -> Ending {
        var information = siginfo_t()
        while xcb_process_wait(P_PIDFD, id_t(handle.number), &information) < 0, errno == EINTR {}
        let status = information._sifields._sigchld.si_status
        return information.si_code == CLD_EXITED ? .exited(status: status) : .killed(signal: status)
    }

    /// Kills the program, and its group if that is its own, and reaps it.
    package func kill() {
        send(signal: SIGKILL)
        reap()
    }

    /// Reaps the program when it ends, so that the kernel does not keep it until this process ends.
    package func reapAtItsEnd() {
        // The source keeps itself until it is cancelled; nothing else uses it.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: handle.number)
        source.setEventHandler { @Sendable [self] in
            reap()
            source.cancel()
        }
        source.activate()
    }
}

/// The paths at which a program may be, in the order of execvp(3).
private func paths(of arguments: [[UInt8]]) -> [[UInt8]] {
    guard let name = arguments.first, !name.contains(UInt8(ascii: "/")) else { return Array(arguments.prefix(1)) }
    let folders = variable("PATH") ?? "/bin:/usr/bin"
    // A relative folder would depend on the working directory.
    return folders.utf8.split(separator: UInt8(ascii: ":")).filter { $0.first == UInt8(ascii: "/") }.map { folder in
        Array(folder) + [UInt8(ascii: "/")] + name
    }
}

/// Whether a path is a directory that may be entered.
private func isFolder(_ path: [UInt8]) -> Bool {
    let path = String(decoding: path, as: UTF8.self)
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && access(path, X_OK) == 0
}

/// Calls a function with lists of C strings: each string ends with a NUL, and each list with a null pointer.
private func withPointers<Result>(
    to lists: [[[UInt8]]], _ body: ([UnsafePointer<UnsafeMutablePointer<CChar>?>]) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = []
    var starts: [Int] = []
    for list in lists {
        starts.append(pointers.count)
        pointers += list.map { text in strdup(text.map { CChar(bitPattern: $0) } + [0]) } + [nil]
    }
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { pointers in
        guard let start = pointers.baseAddress else { preconditionFailure("each list has a null pointer") }
        return body(starts.map { start + $0 })
    }
}

/// A run of a system program by the command, until it exits or until a time limit.
package struct ToolRun {
    /// How the run ended.
    package enum Ending: Hashable {
        /// The program exited with a status; 128 plus the number of the signal if a signal killed it.
        case exited(Int32)
        /// It was still running at the time limit; it is killed if its output was requested.
        case running
        /// The program could not be started.
        case notStarted(String)
    }

    package let ending: Ending
    /// The standard output, if it was requested.
    package private(set) var output = ""

    /// The default limit of a program's output.
    package static let outputLimit = 65_536

    /// Runs a program and reads its output.
    ///
    /// - Parameters:
    ///   - arguments: The program, looked up in `PATH`, and its arguments.
    ///   - limit: The time limit, after which it is killed.
    ///   - size: The approximate maximum number of output bytes.
    package init(asking arguments: [String], limit: Duration = .seconds(10), atMost size: Int = outputLimit) {
        do throws(SystemError) {
            var pipe = try Pipe()
            let process = try SpawnedProcess(
                arguments, with: ["LC_ALL=C"], streams: (-1, pipe.numbers.writing, -1))
            pipe.writing = nil
            let deadline = ContinuousClock.now + limit
            let bytes = try? readAll(pipe.numbers.reading, until: deadline, atMost: size)
            output = String(decoding: bytes ?? [], as: UTF8.self)
            // Output beyond the limit raises SIGPIPE and does not block on a full pipe.
            pipe.reading = nil
            let isLate = !process.ends(by: deadline)
            if isLate { process.send(signal: SIGKILL) }
            let status = process.reap().status
            ending = isLate ? .running : .exited(status)
        } catch {
            ending = .notStarted(systemMessage(error.code))
        }
    }

    /// Runs a program whose output goes to standard error.
    ///
    /// - Parameters:
    ///   - arguments: The program, looked up in `PATH`, and its arguments.
    ///   - environment: Additional environment variables, as `NAME=value`.
    ///   - isQuiet: Whether the output is discarded.
    ///   - limit: The time limit, after which the program continues on its own; it is reaped when it ends.
    package init(starting arguments: [String], environment: [String] = [], isQuiet: Bool = false, limit: Duration) {
        let errors = isQuiet ? -1 : STDERR_FILENO
        do throws(SystemError) {
            let process = try SpawnedProcess(arguments, with: environment, streams: (-1, errors, errors))
            if process.ends(by: .now + limit) {
                ending = .exited(process.reap().status)
            } else {
                process.reapAtItsEnd()
                ending = .running
            }
        } catch {
            ending = .notStarted(systemMessage(error.code))
        }
    }

    /// Whether a program is in a value of `PATH`; without one, in that of this process.
    package static func isInstalled(_ name: String, in path: String? = nil) -> Bool {
        (path ?? variable("PATH") ?? "/usr/bin:/bin").split(separator: ":").contains { isExecutable("\($0)/\(name)") }
    }

    /// Whether a path is an executable file.
    package static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }
}

/// Returns the set of some signals.
package func signalSet(_ numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
}

/// The state of a process according to the kernel (`/proc/PID/stat`).
package struct ProcessState {
    package let id: Int32
    package let parentID: Int32
    /// The ID of its process group.
    let groupID: Int32
    /// When it started, in ticks since the boot.
    package let startTime: UInt64

    /// Reads the state of a process; nil if it has ended or may not be inspected.
    package init?(of id: Int32) {
        // The name of the program is in parentheses, and may contain blanks and parentheses.
        guard id > 0, let bytes = try? SmallFile("/proc/\(id)/stat").bytes,
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
        guard fields.count > 19, let parent = Int32(fields[1]), let group = Int32(fields[2]),
            let start = UInt64(fields[19])
        else { return nil }
        self.id = id
        parentID = parent
        groupID = group
        startTime = start
    }

    package static var own: ProcessState? { ProcessState(of: getpid()) }

    /// Returns the line of a process's control group in the service manager's hierarchy: `0::`, or `name=systemd` where the
    /// system uses no unified one (cgroups(7)).
    package static func controlGroup(of process: String) -> Substring? {
        guard let text = try? SmallFile("/proc/\(process)/cgroup").text else { return nil }
        let lines = text.split(separator: "\n")
        let unified = lines.first { $0.hasPrefix("0::") }
        guard unified == "0::/" else { return unified }
        return lines.first { $0.split(separator: ":").dropFirst().first == "name=systemd" } ?? unified
    }

    /// The path of the program, or else its name, which the process can change; nil if neither is available.
    package var program: String? {
        if let path = try? programPath(ofProcess: "\(id)") { return String(decoding: path, as: UTF8.self) }
        return (try? SmallFile("/proc/\(id)/comm").text).map { String($0.dropLast()) }
    }
}

/// Returns the path of the program that a process runs, as bytes.
///
/// After an upgrade has replaced the file, the kernel appends " (deleted)" to its path. The result is the path of the new
/// file, unless the file name really ends this way.
///
/// - Parameter process: The process ID, or "self".
/// - Returns: The path; the file may no longer exist.
/// - Throws: ``SystemError`` if there is no permission to inspect the process.
package func programPath(ofProcess process: String = "self") throws(SystemError) -> [UInt8] {
    let link = "/proc/\(process)/exe"
    var text = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try SystemError.check("readlink '\(link)'") { Int32(readlink(link, &text, text.count - 1)) }
    let mark = Array(" (deleted)".utf8)
    let path = text[..<Int(count)].map { UInt8(bitPattern: $0) }
    guard path.suffix(mark.count).elementsEqual(mark) else { return path }
    let isThere = FileIdentity(ofFile: String(decoding: path, as: UTF8.self)) == FileIdentity(ofFile: link)
    return isThere ? path : path.dropLast(mark.count)
}
