import XCallbackEventLoop

/// Work of several owners, of which only a part runs at a time; owners take turns.
struct OwnerQueue<Work> {
    /// The maximum numbers that run at a time: of all owners, and of each.
    private let limit: Int
    private let ownerLimit: Int
    private var waiting: [(owner: Owner, work: Work)] = []
    /// The owners of the work that runs.
    private var running: [Owner] = []

    init(limit: Int, ofEachOwner ownerLimit: Int) {
        self.limit = limit
        self.ownerLimit = ownerLimit
    }

    /// Adds work after that of its owner.
    mutating func add(_ work: Work, of owner: Owner) { waiting.append((owner, work)) }

    /// Removes waiting work.
    mutating func remove(where isUnwanted: (Work) -> Bool) { waiting.removeAll { isUnwanted($0.work) } }

    /// The number of waiting pieces of work of an owner.
    func waitingCount(of owner: Owner) -> Int { waiting.count { $0.owner == owner } }

    /// Removes the work whose turn is next, which then runs until ``end(of:)``; nil if nothing may start now.
    mutating func next() -> Work? {
        guard running.count < limit,
            let index = waiting.firstIndex(where: { next in running.count { $0 == next.owner } < ownerLimit })
        else { return nil }
        let (owner, work) = waiting.remove(at: index)
        running.append(owner)
        return work
    }

    /// Ends work; the other owners get their turns first.
    mutating func end(of owner: Owner) {
        if let index = running.firstIndex(of: owner) { running.remove(at: index) }
        waiting = waiting.filter { $0.owner != owner } + waiting.filter { $0.owner == owner }
    }
}
