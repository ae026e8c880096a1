import XCallbackBytes
package import XCallbackClient

/// The status of the daemon as metrics, in Prometheus' text format 0.0.4.
package struct PrometheusText: CustomStringConvertible {
    private typealias Labels = KeyValuePairs<String, String>

    /// The metrics; every line except the last ends with a line feed.
    package private(set) var description = ""

    /// Writes the metrics of a status, without those that the user may not read.
    package init(_ status: Client.Status) {
        let service = status.service
        add("info", "gauge", "The daemon: always 1.", [(["version": service.version], "1")])
        add("uptime_seconds", "gauge", "Time since the daemon started.", service.uptime.seconds)
        add("stopping", "gauge", "Whether the daemon is stopping.", service.isStopping ? 1 : 0)
        add("routes", "gauge", "Number of routes.", service.routeCount)
        add("configuration_faults", "gauge", "Faults of a newer configuration that is not served.", service.faultCount)
        if let total = status.total { add(total) }
        if let latency = status.latency {
            let quantiles = [
                ("0.5", latency.p50), ("0.9", latency.p90), ("0.99", latency.p99), ("0.999", latency.p999),
                ("1", latency.longest),
            ]
            add(
                "request_duration_seconds", "summary", "Duration of requests, from arrival to answer.",
                quantiles.map { (["quantile": $0.0], "\($0.1.seconds)") })
        }
        add("limit", "gauge", "Value of a limit.", status.limits.map { (["limit": $0.name], "\($0.limit)") })
        add("limit_used", "gauge", "Used part of a limit.", status.limits.map { (["limit": $0.name], "\($0.used)") })
        let uses = status.accounts.flatMap { account in
            account.limits.map { use -> (Labels, String) in
                let user = account.userID.map(String.init) ?? ""
                return (["user": user, "class": account.kind, "limit": use.name], "\(use.used)")
            }
        }
        add("account_used", "gauge", "Part of a limit that a user uses.", uses)
        add(status.receivers)
        add(status.traffic)
        description.removeLast()
    }

    private mutating func add(_ total: Client.Status.Total) {
        let outcomes = [
            ("success", total.successes), ("error", total.errors), ("cancel", total.cancels),
            ("redirect", total.redirects),
        ]
        add("requests_total", "counter", "Requests received.", total.requests)
        add(
            "answers_total", "counter", "Requests answered, by outcome.",
            outcomes.map { (["outcome": $0.0], "\($0.1)") })
        add("connections_total", "counter", "Connections accepted.", total.connections)
        add("refused_connections_total", "counter", "Connections refused.", total.refusedConnections)
        add("reloads_total", "counter", "Reloads of the configuration.", total.reloads)
        add("failed_reloads_total", "counter", "Reloads that failed because of faults.", total.failedReloads)
        add("refused_returns_total", "counter", "Refused answers to calls.", total.refusedReturns)
    }

    /// Writes the receivers, by name.
    private mutating func add(_ receivers: [Client.Status.Receiver]) {
        let groups = Dictionary(grouping: receivers, by: \.name).sorted { $0.key < $1.key }
        func samples(_ value: (Client.Status.Receiver) -> Int) -> [(Labels, String)] {
            groups.map { name, group in (["receiver": name], "\(group.reduce(0) { $0 + value($1) })") }
        }
        add("receivers", "gauge", "Receivers of a name.", samples { _ in 1 })
        add("receiver_requests", "gauge", "Requests in progress at receivers.", samples(\.requests))
        add("receiver_limit", "gauge", "Requests that receivers accept at a time.", samples(\.prefetch))
    }

    /// Writes the outcomes of the requests of each route; no label has more values than the daemon counts separately.
    private mutating func add(_ traffic: [Client.Status.Traffic]) {
        let counts = traffic.flatMap { route -> [(Labels, String)] in
            func sample(_ outcome: String, _ code: String, _ count: Int) -> (Labels, String) {
                (["route": route.label, "outcome": outcome, "code": code], "\(count)")
            }
            let outcomes = [("cancel", route.cancels), ("redirect", route.redirects)].filter { $0.1 > 0 }
            return [sample("success", "", route.successes)] + outcomes.map { sample($0.0, "", $0.1) }
                + route.codes.map { sample("error", $0.code.map(String.init) ?? "other", $0.errors) }
        }
        add("route_requests_total", "counter", "Requests by route, outcome and error code.", counts)
        let durations = "route_request_duration_seconds"
        begin(durations, "summary", "Duration of requests, by route.", isEmpty: traffic.isEmpty)
        for route in traffic {
            add("\(durations)_sum", ["route": route.label], "\(route.time.seconds)")
            add("\(durations)_count", ["route": route.label], "\(route.requests)")
        }
        add(
            "route_request_duration_max_seconds", "gauge", "Longest duration of a request, by route.",
            traffic.map { (["route": $0.label], "\($0.longest.seconds)") })
    }

    // MARK: - The format

    private mutating func add(_ name: String, _ type: String, _ help: String, _ value: some Numeric) {
        add(name, type, help, [([:], "\(value)")])
    }

    /// Writes a metric with all of its samples; a metric without samples is left out.
    private mutating func add(_ name: String, _ type: String, _ help: String, _ samples: [(Labels, String)]) {
        begin(name, type, help, isEmpty: samples.isEmpty)
        for (labels, value) in samples { add(name, labels, value) }
    }

    private mutating func begin(_ name: String, _ type: String, _ help: String, isEmpty: Bool) {
        if !isEmpty { description += "# HELP xcallbackd_\(name) \(help)\n# TYPE xcallbackd_\(name) \(type)\n" }
    }

    private mutating func add(_ name: String, _ labels: Labels, _ value: String) {
        let labels = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        description += "xcallbackd_\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
    }

    /// Escapes quotation marks, backslashes and line feeds of a quoted value.
    ///
    /// Other controls are made visible, because the output may go to a terminal.
    private static func escaped(_ value: String) -> String {
        value.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            let text: String = String(line).replacing(each: "\\", with: "\\\\").replacing(each: "\"", with: "\\\"")
            return text.withVisibleControls
        }.joined(separator: "\\n")
    }
}

extension Client.Status.Traffic {
    /// The route as a label: its name, which contains a colon, or one of two words.
    fileprivate var label: String { route ?? "none" }
}
