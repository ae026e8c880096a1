import Synchronization

/// Counts calls of a closure that must be `Sendable`.
final class Counter: Sendable {
    private let calls = Atomic(0)

    var value: Int { calls.load(ordering: .relaxed) }

    func count() {
        calls.add(1, ordering: .relaxed)
    }

    func reset() {
        calls.store(0, ordering: .relaxed)
    }
}
