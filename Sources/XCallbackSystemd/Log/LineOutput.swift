import Glibc
package import Logging
import Synchronization

/// A descriptor that log lines go to, and the number of those it had no room for.
///
/// Writing never waits, unless ``waitsForRoom`` says so: a line that finds the descriptor full is dropped and counted,
/// and the next line that goes through tells how many there were. The descriptor is borrowed, and its flags, which
/// other processes share, stay.
package final class LineOutput: LogOutput {
    private let descriptor: Int32
    private let format: LogLineFormat
    private let clock: @Sendable () -> Timestamp
    private let lost = Atomic<Int>(0)
    private let isPatient = Atomic<Bool>(false)
    /// Whether what was written last is part of a line.
    private let isTorn = Atomic<Bool>(false)

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor, which must stay open.
    ///   - format: How lines begin.
    ///   - clock: What tells the time of a line.
    package init(
        descriptor: Int32, format: LogLineFormat, clock: @escaping @Sendable () -> Timestamp = { Timestamp.now() }
    ) {
        self.descriptor = descriptor
        self.format = format
        self.clock = clock
    }

    /// Whether a line waits until its reader has made room for it: while a process has nothing else to do.
    package var waitsForRoom: Bool {
        get { isPatient.load(ordering: .relaxed) }
        set { isPatient.store(newValue, ordering: .relaxed) }
    }

    /// Writes one event as one line, or counts it as lost.
    package func write(level: Logger.Level, message: String, metadata: Logger.Metadata) {
        var line = LogLine(format: format, level: level, date: clock())
        line.append(sentence: message)
        line.append(metadata: metadata)
        if !writeLoss() || !write(line.bytes) { lost.wrappingAdd(1, ordering: .relaxed) }
    }

    /// Writes a text for people as it is; in the journal each of its lines has the priority of a level.
    package func write(level: Logger.Level, text: String) {
        for part in Self.lines(of: text) {
            let line = LogLine(format: format, level: level, part: part)
            if !write(line.bytes) { lost.wrappingAdd(1, ordering: .relaxed) }
        }
    }

    /// Does nothing, as every line is written at once.
    package func finish() {}

    /// Does nothing: whose standard error it is does not depend on the process.
    package func linger() {}

    /// Tells how many lines were lost since it was told last; false if that could not be told either.
    private func writeLoss() -> Bool {
        let count = lost.exchange(0, ordering: .relaxed)
        guard count > 0 else { return true }
        var line = LogLine(format: format, level: .warning, date: clock())
        line.append(sentence: Self.sentence(ofLost: count, "standard error accepted no more"))
        guard !write(line.bytes) else { return true }
        lost.wrappingAdd(count, ordering: .relaxed)
        return false
    }

    /// Writes all bytes as long as that does not wait where it may not.
    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = isTorn.load(ordering: .relaxed) ? (CollectionOfOne(UInt8(ascii: "\n")) + bytes)[...] : bytes[...]
        let size = rest.count
        // A disk that is full may take part of a line; the next one begins a line of its own all the same.
        defer { if rest.count < size { isTorn.store(!rest.isEmpty, ordering: .relaxed) } }
        while !rest.isEmpty {
            guard isWritable else { return false }
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            let code = errno
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || (code != EINTR && !(code == EAGAIN && waitsForRoom)) {
                return false
            }
        }
        return true
    }

    /// Whether there is room for a line.
    ///
    /// A pipe has room for `PIPE_BUF` bytes if it has any. A descriptor that has an error or lost its reader has none:
    /// writing to it could raise SIGPIPE.
    private var isWritable: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var count: Int32
        repeat { count = poll(&entry, 1, 0) } while count < 0 && errno == EINTR
        if count == 0, waitsForRoom { count = Self.wait(for: &entry) }
        return count > 0 && entry.revents == Int16(POLLOUT)
    }

    /// Waits for a descriptor, in which all signals reach this thread, so that whoever blocks them can still be ended.
    private static func wait(for entry: inout pollfd) -> Int32 {
        var none = sigset_t()
        var blocked = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        var count: Int32
        repeat { count = poll(&entry, 1, -1) } while count < 0 && errno == EINTR
        return count
    }
}
