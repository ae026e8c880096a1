import XCallbackEventLoop

/// Runs work of several owners, of which only a part runs at a time; lives on the event loop.
///
/// Owners take turns.
final class OwnerQueue {
    /// The maximum numbers that run at a time: of all owners, and of each.
    private let limit: Int
    private let ownerLimit: Int
    private var waiting: [(connection: ConnectionID, owner: Owner, work: () async -> Void)] = []
    /// The owners of the work that runs.
    private var running: [Owner] = []

    init(limit: Int, ofEachOwner ownerLimit: Int) {
        self.limit = limit
        self.ownerLimit = ownerLimit
    }

    /// Runs work for a connection when its turn comes, after that of its owner.
    func add(
        for connection: ConnectionID, of owner: Owner, on loop: isolated EventLoop, _ work: @escaping () async -> Void
    ) {
        waiting.append((connection, owner, work))
        startNext(on: loop)
    }

    /// Removes the waiting work of a connection.
    func remove(_ connection: ConnectionID) { waiting.removeAll { $0.connection == connection } }

    private func startNext(on loop: isolated EventLoop) {
        while running.count < limit,
            let index = waiting.firstIndex(where: { next in running.count { $0 == next.owner } < ownerLimit })
        {
            let next = waiting.remove(at: index)
            running.append(next.owner)
            Task.immediate(executorPreference: loop.executor) {
                await next.work()
                end(of: next.owner)
                startNext(on: loop)
            }
        }
    }

    /// Ends work; the other owners get their turns first.
    private func end(of owner: Owner) {
        if let index = running.firstIndex(of: owner) { running.remove(at: index) }
        waiting = waiting.filter { $0.owner != owner } + waiting.filter { $0.owner == owner }
    }
}
