import XCallbackBuiltIns
import XCallbackPipeline
import XCallbackWire

extension RouteCountTable {
    /// The rows with requests, as the reply to `Status` shows them.
    var json: [JSONValue] { rows.compactMap { $0.counts.all > 0 ? $0.json : nil } }
}

extension RouteCountTable.Row {
    fileprivate var json: JSONValue {
        [
            "route": .text(name), "requests": .whole(counts.all), "successes": .whole(counts.successes),
            "errors": .whole(counts.errors), "cancels": .whole(counts.cancels), "redirects": .whole(counts.redirects),
            "codes": .array(counts.codesJSON), "time": .number(JSONNumber(seconds: .nanoseconds(counts.time))),
            "longest": .number(JSONNumber(seconds: .nanoseconds(counts.longestTime))),
        ]
    }
}

extension RouteCounts {
    fileprivate var codesJSON: [JSONValue] {
        let known = codes.sorted { $0.code < $1.code }.map { entry -> JSONValue in
            ["code": .whole(entry.code), "errors": .whole(entry.count)]
        }
        return otherErrors > 0 ? known + [["code": .null, "errors": .whole(otherErrors)]] : known
    }
}

extension Receivers {
    /// Returns the clients that receive, as the reply to `Status` shows them.
    ///
    /// - Parameters:
    ///   - userID: The user whose receivers are included; nil for all.
    ///   - now: The current time.
    /// - Returns: An object each.
    func json(for userID: UInt32?, at now: Duration) -> [JSONValue] {
        all.filter { userID == nil || userID == $0.stream.peer.userID }.map { receiver in
            [
                "name": .string(receiver.group.name), "peer": receiver.stream.peer.json,
                "uptime": .number(JSONNumber(seconds: now - receiver.start)),
                "requests": .whole(receiver.places.count), "prefetch": .whole(receiver.prefetch),
            ]
        }
    }
}
