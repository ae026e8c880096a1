import XCallbackBuiltIns
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// The outcomes of the requests since the daemon started: of all of them, and of each route.
///
/// A route gets a row with its first request, and keeps it: a reload that removes the route keeps its counts, and a
/// reload that restores it continues them. So counts never decrease.
struct Statistics {
    private struct Row {
        var name: String?
        var counts = AnswerCounts()
        /// The number of requests of the current batch that were answered at once.
        var batchCount = 0
    }

    /// The maximum number of routes with separate counts.
    private static let routeLimit = 1_000
    /// The rows of requests that no route answers, and of routes without separate counts.
    private static let (none, others) = (0, 1)

    /// The counts of all requests.
    private(set) var total = AnswerCounts()
    private(set) var latencies = Histogram()
    private var rows = [Row(), Row(name: "other")]
    /// The rows with requests of the current batch.
    private var batchRows: [Int] = []
    private var indices: [String: Int] = [:]
    /// The row of the last request: many requests in succession are for the same route.
    private var last: (route: Route, index: Int)?

    /// Counts an answer.
    ///
    /// - Parameters:
    ///   - response: The response of the request.
    ///   - route: The route, if there is one.
    ///   - time: How long the request waited, in nanoseconds; nil if it was answered at once, and takes until the end of
    ///     its batch (``endBatch(after:)``).
    mutating func add(_ response: borrowing Response, of route: Route?, after time: Int64? = nil) {
        let row = row(of: route)
        total.add(response)
        rows[row].counts.add(response)
        if let time {
            addTime(time, of: 1, in: row)
        } else {
            rows[row].batchCount += 1
            if rows[row].batchCount == 1 { batchRows.append(row) }
        }
    }

    /// Whether requests of the current batch were answered at once.
    var isInBatch: Bool { !batchRows.isEmpty }

    /// Adds the time of the requests that were answered at once in a batch, in nanoseconds.
    mutating func endBatch(after time: Int64) {
        for row in batchRows {
            addTime(time, of: rows[row].batchCount, in: row)
            rows[row].batchCount = 0
        }
        batchRows.removeAll(keepingCapacity: true)
    }

    private mutating func addTime(_ time: Int64, of count: Int, in row: Int) {
        latencies.add(time, count)
        rows[row].counts.addTime(time, count)
    }

    private mutating func row(of route: Route?) -> Int {
        guard let route else { return Self.none }
        if last?.route === route, let last { return last.index }
        let index = searchedRow(of: route)
        last = (route, index)
        return index
    }

    /// Routes with the same name share a row, even if the types of their captures differ.
    private mutating func searchedRow(of route: Route) -> Int {
        guard route.scheme != "*" else { return Self.none }
        if let index = indices[route.name] { return index }
        guard indices.count < Self.routeLimit else { return Self.others }
        rows.append(Row(name: route.name))
        indices[route.name] = rows.count - 1
        return rows.count - 1
    }

    /// The rows with requests, as the reply to `Status` shows them.
    var traffic: JSONValue {
        .array(
            rows.filter { $0.counts.all > 0 }.map { row in
                .object([.init("route", .text(row.name))] + row.counts.members + row.counts.routeMembers)
            })
    }
}

/// The counters of a route, or of all requests.
struct AnswerCounts {
    /// The maximum number of error codes with separate counts; a handler can return any code.
    private static let codeLimit = 16

    /// The number of answers.
    private(set) var all = 0
    /// The number of answers that are errors.
    private(set) var errors = 0
    private var cancels = 0
    private var redirects = 0
    /// The errors by code, without codes beyond the limit.
    private var codes: [(code: Int, errors: Int)] = []
    /// The total duration in nanoseconds; an integer could overflow in a daemon that runs for a long time.
    private var time = 0.0
    private var longestTime: Int64 = 0

    fileprivate mutating func addTime(_ time: Int64, _ count: Int) {
        self.time += Double(time) * Double(count)
        longestTime = max(longestTime, time)
    }

    fileprivate mutating func add(_ response: borrowing Response) {
        all += 1
        switch response {
        case .success: break
        case .error(let error):
            errors += 1
            add(error.code.rawValue)
        case .cancel: cancels += 1
        case .redirect: redirects += 1
        }
    }

    private mutating func add(_ code: Int) {
        if let index = codes.firstIndex(where: { $0.code == code }) {
            codes[index].errors += 1
        } else if codes.count < Self.codeLimit {
            codes.append((code, 1))
        }
    }

    /// The members of a reply to `Status` that all requests and those of a route have.
    var members: [JSONValue.Member] {
        let successes = all - errors - cancels - redirects
        return [
            .init("requests", .whole(all)), .init("successes", .whole(successes)), .init("errors", .whole(errors)),
            .init("cancels", .whole(cancels)), .init("redirects", .whole(redirects)),
        ]
    }

    /// The other members that a route has.
    fileprivate var routeMembers: [JSONValue.Member] {
        var rows = codes.sorted { $0.code < $1.code }.map { row -> JSONValue in
            ["code": .whole(row.code), "errors": .whole(row.errors)]
        }
        let others = errors - codes.reduce(0) { $0 + $1.errors }
        if others > 0 { rows.append(["code": .null, "errors": .whole(others)]) }
        return [
            .init("codes", .array(rows)), .init("time", .number(JSONNumber(seconds: .nanoseconds(time)))),
            .init("longest", .number(JSONNumber(seconds: .nanoseconds(longestTime)))),
        ]
    }
}

/// A histogram of durations; each class is at most an eighth wide.
struct Histogram {
    /// The number of classes per power of two.
    private static let classesPerOctave = 8
    /// The base-2 exponent of the shortest time with a class of its own, in nanoseconds: about a microsecond.
    private static let leastExponent = 10

    /// The counts, for times from a microsecond to a day.
    private var counts = Array(repeating: 0, count: 37 * classesPerOctave + 1)
    private var longestTime: Int64 = 0

    /// Adds a duration in nanoseconds of a number of requests.
    mutating func add(_ time: Int64, _ count: Int = 1) {
        counts[min(Self.index(of: time), counts.count - 1)] += count
        longestTime = max(longestTime, time)
    }

    /// The reply to `Status`: durations that a share of the requests did not exceed, which are the upper bounds of classes.
    var json: JSONValue {
        var members = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)].map { name, share in
            JSONValue.Member(name, .number(JSONNumber(seconds: .nanoseconds(time(of: share)))))
        }
        members.append(.init("longest", .number(JSONNumber(seconds: .nanoseconds(longestTime)))))
        return .object(members)
    }

    private func time(of share: Double) -> Int64 {
        let wanted = share * Double(counts.reduce(0, +))
        var sum = 0
        for (index, count) in counts.enumerated() where count > 0 {
            sum += count
            if Double(sum) >= wanted { return min(Self.end(of: index), longestTime) }
        }
        return longestTime
    }

    private static func index(of time: Int64) -> Int {
        let value = UInt64(max(time, 0))
        guard value >= 1 << leastExponent else { return 0 }
        let exponent = 63 - value.leadingZeroBitCount
        let part = Int(value >> UInt64(exponent - 3)) & (classesPerOctave - 1)
        return (exponent - leastExponent) * classesPerOctave + part + 1
    }

    /// The upper bound of a class, in nanoseconds.
    private static func end(of index: Int) -> Int64 {
        guard index > 0 else { return 1 << leastExponent }
        let octave: Int64 = 1 << (leastExponent + (index - 1) / classesPerOctave)
        return octave + octave / Int64(classesPerOctave) * Int64((index - 1) % classesPerOctave + 1)
    }
}
