import Glibc
package import Logging
import Synchronization
import XCallbackEventLoop
import XCallbackLinux

/// The journal, and the number of entries that were dropped.
///
/// The journal's library blocks while the journal does not read. So a separate queue sends the entries in order, and the
/// caller never blocks, unless ``waitsForRoom`` is set: entries over a limit are dropped and counted, and the next entry
/// that is sent reports their number.
package final class JournalOutput: LogOutput {
    /// The maximum number of queued entries.
    package static let maximumWaiting = 1_024
    private static let socket = "/run/systemd/journal/socket"

    private let queue = WorkQueue(idleTime: nil)
    private let send: @Sendable (JournalEntry) -> Bool
    private let lost = Atomic<Int>(0)
    private let isPatient = Atomic<Bool>(false)

    /// Creates an output.
    ///
    /// - Parameter send: Sends an entry to the journal, and returns whether the journal has accepted it.
    package init(send: @escaping @Sendable (JournalEntry) -> Bool = { $0.send() }) {
        self.send = send
    }

    /// Whether the journal is writable; its library drops entries silently if not.
    static var isReachable: Bool { access(socket, W_OK) == 0 }

    /// Whether a call blocks until the journal has the entry: for a process that has nothing else to do.
    package var waitsForRoom: Bool {
        get { isPatient.load(ordering: .relaxed) }
        set { isPatient.store(newValue, ordering: .relaxed) }
    }

    /// Writes an event as an entry, or counts it as lost.
    package func write(level: Logger.Level, message: String, metadata: Logger.Metadata) {
        submit { JournalEntry(level: level, message: message, metadata: metadata) }
    }

    /// Writes each line of a text as an entry.
    package func write(level: Logger.Level, text: String) {
        for line in Self.lines(of: text) { submit { JournalEntry(level: level, message: String(line)) } }
    }

    /// Waits until the journal has all entries, for up to a second.
    package func finish() {
        queue.finish(within: .seconds(1))
    }

    /// Waits for a tenth of a second: the journal looks up the unit of the process when it reads an entry, and cannot
    /// find it if the process has ended.
    package func linger() {
        usleep(100_000)
    }

    /// Queues an entry to be created and sent.
    private func submit(_ makeEntry: @escaping @Sendable () -> JournalEntry) {
        if waitsForRoom { return queue.sync { self.perform(makeEntry()) } }
        // Without a thread, the entry is lost, too.
        let isQueued =
            queue.pendingCount < Self.maximumWaiting && (try? queue.async { self.perform(makeEntry()) }) != nil
        if !isQueued { lost.wrappingAdd(1, ordering: .relaxed) }
    }

    private func perform(_ entry: JournalEntry) {
        if !sendLoss() || !send(entry) { lost.wrappingAdd(1, ordering: .relaxed) }
    }

    /// Reports the number of entries lost since the last report; false if the report fails too.
    private func sendLoss() -> Bool {
        let count = lost.exchange(0, ordering: .relaxed)
        guard count > 0 else { return true }
        let sentence = Self.sentence(ofLost: count, "the journal accepted no more")
        if send(JournalEntry(level: .warning, message: sentence)) { return true }
        lost.wrappingAdd(count, ordering: .relaxed)
        return false
    }
}
