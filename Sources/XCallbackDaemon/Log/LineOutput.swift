import Glibc
package import Logging
import Synchronization
import XCallbackLinux

/// A descriptor for log lines, and the number of lines that were dropped.
///
/// Writing never blocks, unless ``waitsForRoom`` is set: if the descriptor is full, the line is dropped and counted, and
/// the next line that is written reports their number. The descriptor is borrowed; its flags, which other processes
/// share, do not change. So a write blocks if another process fills a pipe between the check and the write.
package final class LineOutput: LogOutput {
    private let descriptor: Int32
    private let format: LogLineFormat
    private let clock: @Sendable () -> Duration
    private let lost = Atomic<Int>(0)
    private let isPatient = Atomic<Bool>(false)
    /// Whether the last write ended in the middle of a line.
    private let isTorn = Atomic<Bool>(false)

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor, which must stay open.
    ///   - format: The format of the start of each line.
    ///   - clock: Returns the time of a line, since 1970.
    package init(
        descriptor: Int32, format: LogLineFormat, clock: @escaping @Sendable () -> Duration = { wallTime() }
    ) {
        self.descriptor = descriptor
        self.format = format
        self.clock = clock
    }

    /// Whether a write blocks until the reader has made room: for a process that has nothing else to do.
    package var waitsForRoom: Bool {
        get { isPatient.load(ordering: .relaxed) }
        set { isPatient.store(newValue, ordering: .relaxed) }
    }

    /// Writes an event as a line, or counts it as lost.
    package func write(level: Logger.Level, message: String, metadata: Logger.Metadata) {
        var line = LogLine(format: format, level: level, date: clock())
        line.append(sentence: message)
        line.append(metadata: metadata)
        if !writeLoss() || !write(line.bytes) { lost.wrappingAdd(1, ordering: .relaxed) }
    }

    /// Writes a text for people unchanged; in the journal each of its lines has the priority of the level.
    package func write(level: Logger.Level, text: String) {
        for part in Self.lines(of: text) {
            let line = LogLine(format: format, level: level, part: part)
            if !write(line.bytes) { lost.wrappingAdd(1, ordering: .relaxed) }
        }
    }

    /// Reports the number of lines lost since the last report; false if the report fails too.
    private func writeLoss() -> Bool {
        let count = lost.exchange(0, ordering: .relaxed)
        guard count > 0 else { return true }
        var line = LogLine(format: format, level: .warning, date: clock())
        line.append(sentence: Self.sentence(ofLost: count, "standard error accepted no more"))
        guard !write(line.bytes) else { return true }
        lost.wrappingAdd(count, ordering: .relaxed)
        return false
    }

    /// Writes all bytes, as long as no forbidden wait is necessary.
    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = isTorn.load(ordering: .relaxed) ? (CollectionOfOne(UInt8(ascii: "\n")) + bytes)[...] : bytes[...]
        let size = rest.count
        // A full disk may accept part of a line; the next line must still start on its own.
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

    /// Whether a line can be written.
    ///
    /// A pipe has room for `PIPE_BUF` bytes if it has any. A descriptor with an error or without a reader counts as full:
    /// a write could raise SIGPIPE.
    private var isWritable: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var count: Int32
        repeat { count = poll(&entry, 1, 0) } while count < 0 && errno == EINTR
        if count == 0, waitsForRoom { count = Self.wait(for: &entry) }
        return count > 0 && entry.revents == Int16(POLLOUT)
    }

    /// Polls a descriptor with all signals unblocked in this thread, so that a signal can still end a process that blocks them.
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
