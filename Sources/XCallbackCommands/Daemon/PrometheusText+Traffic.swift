import XCallbackClient

extension PrometheusText {
    /// Writes the outcomes of the requests of each route.
    ///
    /// No label has more values than the daemon counts separately.
    mutating func add(_ traffic: [Client.Status.Traffic]) {
        add(
            "route_requests_total", "counter", "Requests by route, outcome and error code.",
            traffic.flatMap(Self.counts))
        let times = traffic.flatMap { route in
            [
                Sample([("route", route.label)], "\(route.time.seconds)", suffix: "_sum"),
                Sample([("route", route.label)], "\(route.requests)", suffix: "_count"),
            ]
        }
        add("route_request_duration_seconds", "summary", "Duration of requests, by route.", times)
        add(
            "route_request_duration_max_seconds", "gauge", "Longest duration of a request, by route.",
            traffic.map { Sample([("route", $0.label)], "\($0.longest.seconds)") })
    }

    private static func counts(of route: Client.Status.Traffic) -> [Sample] {
        func sample(_ outcome: String, _ code: String, _ count: Int) -> Sample {
            Sample([("route", route.label), ("outcome", outcome), ("code", code)], "\(count)")
        }
        let outcomes = [("cancel", route.cancels), ("redirect", route.redirects)].filter { $0.1 > 0 }
        return [sample("success", "", route.successes)] + outcomes.map { sample($0.0, "", $0.1) }
            + route.codes.map { sample("error", $0.code.map(String.init) ?? "other", $0.errors) }
    }

    /// Writes the receivers, by name.
    mutating func add(_ receivers: [Client.Status.Receiver]) {
        let names = receivers.map(\.name).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        func samples(_ value: (Client.Status.Receiver) -> Int) -> [Sample] {
            names.map { name in
                let sum = receivers.filter { $0.name == name }.reduce(0) { $0 + value($1) }
                return Sample([("receiver", name)], "\(sum)")
            }
        }
        add("receivers", "gauge", "Receivers of a name.", samples { _ in 1 })
        add("receiver_requests", "gauge", "Requests in progress at receivers.", samples(\.requests))
        add("receiver_limit", "gauge", "Requests that receivers accept at a time.", samples(\.prefetch))
    }
}

extension Client.Status.Traffic {
    /// The route as a label: its name, which contains a colon, or one of two words.
    fileprivate var label: String { route ?? "none" }
}
