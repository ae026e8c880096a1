import Synchronization

/// What has happened, told from any thread and awaited by tests.
package final class EventLog: Sendable {
    private let told = Mutex<[String]>([])

    package init() {}

    /// All that was told until now, in order.
    package var all: [String] { told.withLock { $0 } }

    package func add(_ event: String) { told.withLock { $0.append(event) } }

    /// Waits until something was told.
    ///
    /// - Throws: ``TestFailure`` if it does not come in time: then it never will.
    package func wait(for event: String) async throws {
        try await suspendUntil("'\(event)' was told") { all.contains(event) }
    }
}
