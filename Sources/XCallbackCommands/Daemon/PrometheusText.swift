import XCallbackBytes
package import XCallbackClient

/// The status of the daemon as metrics, in Prometheus' text format 0.0.4.
package struct PrometheusText: CustomStringConvertible {
    /// A line of a metric: the suffix of its name, its labels, and its value.
    struct Sample {
        let suffix: String
        let labels: [(name: String, value: String)]
        let value: String

        init(_ labels: [(name: String, value: String)], _ value: String, suffix: String = "") {
            self.suffix = suffix
            self.labels = labels
            self.value = value
        }
    }

    /// The metrics; every line except the last ends with a line feed.
    package private(set) var description = ""

    /// Writes the metrics of a status, without those that the user may not read.
    package init(_ status: Client.Status) {
        let service = status.service
        add("info", "gauge", "The daemon: always 1.", [Sample([("version", service.version)], "1")])
        add("uptime_seconds", "gauge", "Time since the daemon started.", service.uptime.seconds)
        add("stopping", "gauge", "Whether the daemon is stopping.", service.isStopping ? 1 : 0)
        add("routes", "gauge", "Number of routes.", service.routeCount)
        add("configuration_faults", "gauge", "Faults of a newer configuration that is not served.", service.faultCount)
        if let total = status.total { add(total) }
        if let latency = status.latency { add(latency) }
        let limits = status.limits
        add("limit", "gauge", "Value of a limit.", limits.map { Self.sample($0.name, $0.limit) })
        add("limit_used", "gauge", "Used part of a limit.", limits.map { Self.sample($0.name, $0.used) })
        let uses = status.accounts.flatMap { account in
            account.limits.map { use in
                Sample(
                    [("user", account.userID.map(String.init) ?? ""), ("class", account.kind), ("limit", use.name)],
                    "\(use.used)")
            }
        }
        add("account_used", "gauge", "Part of a limit that a user uses.", uses)
        add(status.receivers)
        add(status.traffic)
        description.removeLast()
    }

    private static func sample(_ limit: String, _ value: Int) -> Sample {
        Sample([("limit", limit)], "\(value)")
    }

    private mutating func add(_ total: Client.Status.Total) {
        let outcomes = [
            ("success", total.successes), ("error", total.errors), ("cancel", total.cancels),
            ("redirect", total.redirects),
        ]
        add("requests_total", "counter", "Requests received.", total.requests)
        add(
            "answers_total", "counter", "Requests answered, by outcome.",
            outcomes.map { Sample([("outcome", $0.0)], "\($0.1)") })
        add("connections_total", "counter", "Connections accepted.", total.connections)
        add("refused_connections_total", "counter", "Connections refused.", total.refusedConnections)
        add("reloads_total", "counter", "Reloads of the configuration.", total.reloads)
        add("failed_reloads_total", "counter", "Reloads that failed because of faults.", total.failedReloads)
        add("refused_returns_total", "counter", "Refused answers to calls.", total.refusedReturns)
    }

    private mutating func add(_ latency: Client.Status.Latency) {
        let quantiles = [
            ("0.5", latency.p50), ("0.9", latency.p90), ("0.99", latency.p99), ("0.999", latency.p999),
            ("1", latency.longest),
        ]
        add(
            "request_duration_seconds", "summary", "Duration of requests, from arrival to answer.",
            quantiles.map { Sample([("quantile", $0.0)], "\($0.1.seconds)") })
    }

    private mutating func add(_ name: String, _ type: String, _ help: String, _ value: some Numeric) {
        add(name, type, help, [Sample([], "\(value)")])
    }

    /// Writes a metric with all of its samples; a metric without samples is left out.
    mutating func add(_ name: String, _ type: String, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        let name = "xcallbackd_\(name)"
        description += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            description += name + sample.suffix + (labels.isEmpty ? "" : "{\(labels)}") + " \(sample.value)\n"
        }
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
