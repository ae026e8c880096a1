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
    }

    /// The maximum number of routes with separate counts.
    private static let routeLimit = 1_000
    /// The rows of requests that no route answers, and of routes without separate counts.
    private static let (none, others) = (0, 1)

    /// The counts of all requests.
    private(set) var total = AnswerCounts()
    private var rows = [Row(), Row(name: "other")]
    private var indices: [String: Int] = [:]
    /// The route of the last answer, because many requests one after another are of one route, and its row.
    private var last: (route: Route?, row: Int) = (nil, none)

    /// Counts an answer.
    ///
    /// - Parameters:
    ///   - response: The response of the request.
    ///   - route: The route, if there is one.
    ///   - time: How long the request took, in nanoseconds.
    mutating func add(_ response: borrowing Response, of route: Route?, after time: Int64) {
        if last.route !== route { last = (route, row(of: route)) }
        total.add(response, after: time)
        rows[last.row].counts.add(response, after: time)
    }

    /// Routes with the same name share a row, even if the types of their captures differ.
    private mutating func row(of route: Route?) -> Int {
        guard let route, route.scheme != "*" else { return Self.none }
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
    private var codes: [Int: Int] = [:]
    /// The total duration in nanoseconds; an integer could overflow in a daemon that runs for a long time.
    private var time = 0.0
    private var longestTime: Int64 = 0

    fileprivate mutating func add(_ response: borrowing Response, after time: Int64) {
        all += 1
        self.time += Double(time)
        longestTime = max(longestTime, time)
        switch response {
        case .success: break
        case .error(let error):
            errors += 1
            let code = error.code.rawValue
            if codes.count < Self.codeLimit || codes[code] != nil { codes[code, default: 0] += 1 }
        case .cancel: cancels += 1
        case .redirect: redirects += 1
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
        var rows = codes.sorted { $0.key < $1.key }.map { code, errors -> JSONValue in
            ["code": .whole(code), "errors": .whole(errors)]
        }
        let others = errors - codes.values.reduce(0, +)
        if others > 0 { rows.append(["code": .null, "errors": .whole(others)]) }
        return [
            .init("codes", .array(rows)), .init("time", .number(JSONNumber(seconds: .nanoseconds(time)))),
            .init("longest", .number(JSONNumber(seconds: .nanoseconds(longestTime)))),
        ]
    }
}
