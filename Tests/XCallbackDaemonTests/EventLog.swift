import Synchronization

/// What has happened, told by stages and awaited by a test.
final class EventLog: Sendable {
    private let told = Mutex<[String]>([])
    private let additions: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (additions, continuation) = AsyncStream.makeStream()
    }

    /// All that was told until now, in order.
    var all: [String] { told.withLock { $0 } }

    func add(_ event: String) {
        told.withLock { $0.append(event) }
        continuation.yield()
    }

    /// Waits until something was told; call it from one place at a time.
    func wait(for event: String) async {
        var iterator = additions.makeAsyncIterator()
        while !all.contains(event), await iterator.next() != nil {}
    }
}
