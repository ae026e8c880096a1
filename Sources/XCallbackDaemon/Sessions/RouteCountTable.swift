import Synchronization
import XCallbackPipeline

/// The results of requests, by route.
///
/// A route gets a row with its first request, and keeps it: a reload that removes the route keeps its counts, and a
/// reload that restores it continues them. So counts never decrease.
struct RouteCountTable {
    /// The maximum number of routes with separate counts.
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

    /// The counts, indexed by ``CountIndex`` and by the indices of routes.
    private(set) var rows: [Row]
    private var indices: [String: Int] = [:]
    /// The first row with requests of the current batch, each of which links to the next; negative if there is none.
    private var firstUntimed = -1
    /// Distinguishes the indices of this table from those of other tables in the process, in the bits above an index.
    private let mark = Int(Self.tables.add(1, ordering: .relaxed).newValue) << 32

    private static let tables = Atomic<UInt32>(0)

    init() {
        rows = [Row(name: nil), Row(name: "other"), Row(name: Route.callReturnName)]
    }

    /// Returns the row of a place, if the place is from this table or common to all tables.
    @inline(__always)
    func index(notedAs place: Int) -> Int? {
        place & ~0xFFFF_FFFF == mark || UInt(bitPattern: place) < UInt(CountIndex.first) ? place & 0xFFFF_FFFF : nil
    }

    /// Counts a request that was answered at once; its duration is that of the batch.
    ///
    /// - Parameters:
    ///   - response: The response of the request.
    ///   - index: The row to count it in.
    @inline(__always)
    mutating func add(_ response: borrowing Response, at index: Int) {
        guard rows[index].counts.add(response) else { return }
        rows[index].nextUntimed = firstUntimed
        firstUntimed = index
    }

    /// Counts a request that waited.
    ///
    /// - Parameters:
    ///   - response: The response of the request.
    ///   - index: The row to count it in.
    ///   - time: The duration of the request.
    mutating func add(_ response: borrowing Response, at index: Int, after time: Duration) {
        rows[index].counts.add(response, after: nanoseconds(time))
    }

    /// Records the duration of the last batch.
    mutating func endBatch(after time: Int64) {
        while firstUntimed >= 0 {
            let index = firstUntimed
            rows[index].counts.endBatch(after: time)
            firstUntimed = rows[index].nextUntimed
        }
    }

    /// Adds a row for a route.
    ///
    /// Routes with the same name share a row, even if the types of their captures differ.
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
