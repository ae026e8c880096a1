import Synchronization
import XCallbackPipeline

/// The results of requests, by route.
///
/// A route gets a place here with its first request, and keeps it: a reload that drops the route keeps its counts, and
/// one that restores it continues them. So counts never decrease.
struct RouteCountTable {
    /// The maximum number of routes with counts of their own.
    static let limit = 1_000

    /// The counts of a route.
    struct Row {
        /// The scheme and the pattern of the route; nil for requests that no route answers.
        let name: String?
        var counts = RouteCounts()
        /// The next row with requests of the current batch; negative if there is none.
        fileprivate var nextUntimed = -1

        fileprivate init(name: String?) { self.name = name }
    }

    /// The counts, at the places of ``CountIndex`` and of routes.
    private(set) var rows: [Row]
    private var indices: [String: Int] = [:]
    /// The first row with requests of the current batch, each of which links to the next; negative if there is none.
    private var firstUntimed = -1
    /// Distinguishes the places of this table from those of other tables in the process, above the bits of an index.
    private let mark = Int(Self.tables.add(1, ordering: .relaxed).newValue) << 32

    private static let tables = Atomic<UInt32>(0)

    init() {
        rows = [Row(name: nil), Row(name: "other"), Row(name: Route.callReturnName)]
    }

    /// The place of a route, if it is one of this table, or the same in all.
    @inline(__always)
    func index(notedAs place: Int) -> Int? {
        place & ~0xFFFF_FFFF == mark || UInt(bitPattern: place) < UInt(CountIndex.first) ? place & 0xFFFF_FFFF : nil
    }

    /// Counts a request that was answered at once; its time is that of the batch.
    ///
    /// - Parameters:
    ///   - response: Its response.
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
    ///   - response: Its response.
    ///   - index: Where it is counted.
    ///   - time: Its time.
    mutating func add(_ response: borrowing Response, at index: Int, after time: Duration) {
        rows[index].counts.add(response, after: nanoseconds(time))
    }

    /// Notes the time of the last batch.
    mutating func endBatch(after time: Int64) {
        while firstUntimed >= 0 {
            let index = firstUntimed
            rows[index].counts.endBatch(after: time)
            firstUntimed = rows[index].nextUntimed
        }
    }

    /// Gives a route its place.
    ///
    /// Routes with the same name share one, even if the types of their captures differ.
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
