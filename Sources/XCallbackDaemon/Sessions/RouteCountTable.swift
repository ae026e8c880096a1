import Synchronization
import XCallbackPipeline

/// What has become of requests, by route.
///
/// A route has a place here from its first request on, and keeps it: a reload that drops the route does not take its
/// counts away, and one that brings it back goes on with them. So no count ever becomes smaller.
struct RouteCountTable {
    /// How many routes are counted one by one.
    static let limit = 1_000

    /// The counts of a route.
    struct Row {
        /// The scheme and the pattern of the route; nil for requests that no route answers.
        let name: String?
        var counts = RouteCounts()
        /// The next row that has requests of the current batch; negative if there is none.
        fileprivate var nextUntimed = -1

        fileprivate init(name: String?) { self.name = name }
    }

    /// The counts, at the places that ``CountIndex`` names and those that were given to routes.
    private(set) var rows: [Row]
    private var indices: [String: Int] = [:]
    /// The first row that has requests of the current batch, each of which names the next; negative if there is none.
    private var firstUntimed = -1
    /// What tells the places of this table from those of another one in the process, above the bits of an index.
    private let mark = Int(Self.tables.add(1, ordering: .relaxed).newValue) << 32

    private static let tables = Atomic<UInt32>(0)

    init() {
        rows = [Row(name: nil), Row(name: "other"), Row(name: Route.callReturnName)]
    }

    /// The place that a route has noted, if it is one of this table, or the same in all.
    @inline(__always)
    func index(notedAs place: Int) -> Int? {
        place & ~0xFFFF_FFFF == mark || UInt(bitPattern: place) < UInt(CountIndex.first) ? place & 0xFFFF_FFFF : nil
    }

    /// Counts a request that was answered at once; its time is that of the batch.
    ///
    /// - Parameters:
    ///   - response: What it ended in.
    ///   - index: Where it is counted.
    @inline(__always)
    mutating func add(_ response: borrowing Response, at index: Int) {
        guard rows[index].counts.add(response) else { return }
        rows[index].nextUntimed = firstUntimed
        firstUntimed = index
    }

    /// Counts a request that has waited.
    ///
    /// - Parameters:
    ///   - response: What it ended in.
    ///   - index: Where it is counted.
    ///   - time: How long it took.
    mutating func add(_ response: borrowing Response, at index: Int, after time: Duration) {
        rows[index].counts.add(response, after: nanoseconds(time))
    }

    /// Notes how long the batch has taken that is over.
    mutating func endBatch(after time: Int64) {
        while firstUntimed >= 0 {
            let index = firstUntimed
            rows[index].counts.endBatch(after: time)
            firstUntimed = rows[index].nextUntimed
        }
    }

    /// Gives a route its place.
    ///
    /// Routes of one name that differ in the types of their captures have the same.
    @inline(never)
    mutating func place(_ route: Route?) -> Int {
        guard let route, route.scheme != "*" else { return CountIndex.none }
        let index = indices[route.name] ?? makeRow(named: route.name)
        route.countIndex = mark | index
        return index
    }

    private mutating func makeRow(named name: String) -> Int {
        guard indices.count < Self.limit else { return CountIndex.others }
        rows.append(Row(name: name))
        indices[name] = rows.count - 1
        return rows.count - 1
    }
}
