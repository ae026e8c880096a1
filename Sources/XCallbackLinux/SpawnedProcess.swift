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
    // Two allocations for all strings and all pointers.
    var bytes: [CChar] = []
    bytes.reserveCapacity(lists.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count + 1 } })
    for text in lists.joined() {
        text.withUnsafeBytes { bytes.append(contentsOf: $0.bindMemory(to: CChar.self)) }
        bytes.append(0)
    }
    return bytes.withUnsafeMutableBufferPointer { buffer in
        var pointers: [UnsafeMutablePointer<CChar>?] = []
        var starts: [Int] = []
        var next = buffer.baseAddress
        for list in lists {
            starts.append(pointers.count)
            for text in list {
                pointers.append(next)
                next = next.map { $0 + text.count + 1 }
            }
            pointers.append(nil)
        }
        return pointers.withUnsafeBufferPointer { pointers in
            guard let start = pointers.baseAddress else { preconditionFailure("each list has a null pointer") }
            return body(starts.map { start + $0 })
        }
    }
}

/// A pipe that programs do not inherit unless they are given an end; only its write end blocks.
package struct Pipe: ~Copyable, Sendable {
    /// The ends, until they are closed.
    package var reading, writing: Descriptor?

    /// Creates a pipe, or nothing.
    package init(isNeeded: Bool = true) throws(SystemError) {
        guard isNeeded else { return }
        var ends: [Int32] = [-1, -1]
        _ = try SystemError.check("pipe") { xcb_pipe(&ends) }
        reading = Descriptor(ends[0])
        writing = Descriptor(ends[1])
    }

    /// The numbers of the ends; -1 for one that is closed.
    package var numbers: (reading: Int32, writing: Int32) { (Self.number(of: reading), Self.number(of: writing)) }

    private static func number(of end: borrowing Descriptor?) -> Int32 {
        switch end {
        case .some(let descriptor): descriptor.number
        case nil: -1
        }
    }

    /// Leaves the ends open for the rest of the process.
    package consuming func release() -> (reading: Int32, writing: Int32) {
        let (reading, writing) = numbers
        _ = self.reading.take()?.release()
        _ = self.writing.take()?.release()
        return (reading, writing)
    }
}

extension Descriptor {
    /// Creates an in-memory file with some bytes, to be read from the start.
    package init(inMemory bytes: [UInt8]) throws(SystemError) {
        let file = Descriptor(try SystemError.check("memfd_create") { xcb_memory_file("stream") })
        let number = file.number
        var written = 0
        while written < bytes.count {
            written += Int(
                try SystemError.check("pwrite") {
                    bytes[written...].withUnsafeBytes { rest in
                        Int32(clamping: xcb_write_at(number, rest.baseAddress, rest.count, off_t(written)))
                    }
                })
        }
        self = file
    }
}
