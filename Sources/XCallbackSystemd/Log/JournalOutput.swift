import Glibc
package import Logging
import Synchronization
import XCallbackEventLoop

/// The journal, and the number of events it had no room for.
///
/// The journal's library waits while the journal does not read. So entries are handed over in order from a queue of
/// its own, and whoever writes one never waits, unless ``waitsForRoom`` says so: beyond a limit entries are dropped and
/// counted, and the next one that goes through tells how many there were.
package final class JournalOutput: LogOutput {
    /// How many entries wait at most.
    package static let maximumWaiting = 1_024
    private static let socket = "/run/systemd/journal/socket"

    private let queue = WorkQueue(label: "xcallbackd.journal")
    private let send: @Sendable (JournalEntry) -> Bool
    private let waitingCount = Atomic<Int>(0)
    private let lost = Atomic<Int>(0)
    private let isPatient = Atomic<Bool>(false)

    /// Creates an output.
    ///
    /// - Parameter send: Hands an entry to the journal, and tells whether it has it.
    package init(send: @escaping @Sendable (JournalEntry) -> Bool = { $0.send() }) {
        self.send = send
    }

    /// Whether the journal can be written to: its library drops everything without a word where it cannot.
    static var isReachable: Bool { access(socket, W_OK) == 0 }

    /// Whether an entry waits until the journal has it: while a process has nothing else to do.
    package var waitsForRoom: Bool {
        get { isPatient.load(ordering: .relaxed) }
        set { isPatient.store(newValue, ordering: .relaxed) }
    }

    /// Writes one event as one entry, or counts it as lost.
    package func write(level: Logger.Level, message: String, metadata: Logger.Metadata) {
        submit { JournalEntry(level: level, message: message, metadata: metadata) }
    }

    /// Writes each line of a text as one entry.
    package func write(level: Logger.Level, text: String) {
        for line in Self.lines(of: text) { submit { JournalEntry(level: level, message: String(line)) } }
    }

    /// Waits until the journal has all entries, or for a second.
    package func finish() {
        queue.finish(within: .seconds(1))
    }

    /// Waits for a tenth of a second: the journal looks for the unit of the process when it reads an entry, and finds none if
    /// the process has ended by then.
    package func linger() {
        usleep(100_000)
    }

    /// Lets the queue make an entry and hand it over.
    private func submit(_ makeEntry: @escaping @Sendable () -> JournalEntry) {
        if waitsForRoom { return queue.sync { self.perform(makeEntry()) } }
        guard waitingCount.load(ordering: .relaxed) < Self.maximumWaiting else {
            lost.wrappingAdd(1, ordering: .relaxed)
            return
        }
        waitingCount.wrappingAdd(1, ordering: .relaxed)
        queue.async {
            self.perform(makeEntry())
            self.waitingCount.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    private func perform(_ entry: JournalEntry) {
        if !sendLoss() || !send(entry) { lost.wrappingAdd(1, ordering: .relaxed) }
    }

    /// Tells how many entries were lost since it was told last; false if that could not be told either.
    private func sendLoss() -> Bool {
        let count = lost.exchange(0, ordering: .relaxed)
        guard count > 0 else { return true }
        let sentence = Self.sentence(ofLost: count, "the journal accepted no more")
        if send(JournalEntry(level: .warning, message: sentence)) { return true }
        lost.wrappingAdd(count, ordering: .relaxed)
        return false
    }
}
