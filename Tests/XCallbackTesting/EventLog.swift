import Synchronization

/// What has happened, told from any thread and awaited by a test.
package final class EventLog: Sendable {
    private let told = Mutex<[String]>([])
    private let additions: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (additions, continuation) = AsyncStream.makeStream()
    }

    /// All that was told until now, in order.
    package var all: [String] { told.withLock { $0 } }

    package func add(_ event: String) {
        told.withLock { $0.append(event) }
        continuation.yield()
    }

    /// Waits until something was told; call it from one place at a time.
    ///
    /// - Throws: ``TestFailure`` if it does not come in time: then it never will.
    package func wait(for event: String, within limit: Duration = .seconds(30)) async throws {
        let end = ContinuousClock.now + limit
        let timer = Task { [continuation] in
            try await Task.sleep(until: end, clock: .continuous)
            continuation.yield()
        }
        defer { timer.cancel() }
        var iterator = additions.makeAsyncIterator()
        while !all.contains(event) {
            if ContinuousClock.now >= end { throw TestFailure("'\(event)' did not come in \(limit), but only \(all)") }
            _ = await iterator.next()
        }
    }
}
