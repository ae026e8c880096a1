import XCallbackAdministration
import XCallbackClient

/// The outcomes of requests by route, for people: the routes that most likely need attention.
struct TrafficText {
    /// The number of routes shown.
    private static let limit = 10

    private let traffic: [Client.Status.Traffic]

    /// Creates the text of a status.
    init(_ traffic: [Client.Status.Traffic]) {
        self.traffic = traffic
    }

    /// A table with a title; empty if there were no requests.
    var lines: [String] {
        guard !traffic.isEmpty else { return [] }
        let shown = Self.noticeable(of: traffic)
        let count = shown.count < traffic.count ? "\(shown.count) of \(traffic.count) routes: " : ""
        let title = "traffic (\(count)those with the most errors, then the slowest)"
        let head = ["  ROUTE", "REQUESTS", "AVERAGE", "LONGEST", "ERRORS"]
        return [title] + TextTable([head] + shown.map(\.cells)).lines
    }

    /// Half of the routes are those with the most errors, the others the slowest.
    private static func noticeable(of traffic: [Client.Status.Traffic]) -> [Client.Status.Traffic] {
        let failing = traffic.indices.filter { traffic[$0].errors > 0 }
            .sorted { (-traffic[$0].errors, $0) < (-traffic[$1].errors, $1) }.prefix(limit / 2)
        let slow = traffic.indices.filter { !failing.contains($0) }
            .sorted { (traffic[$1].average, $0) < (traffic[$0].average, $1) }.prefix(limit - failing.count)
        return (failing + slow).map { traffic[$0] }
    }
}

extension Client.Status.Traffic {
    fileprivate var cells: [String] {
        let codes = codes.map { "\($0.code.map(String.init) ?? "other"): \($0.errors)" }
        let errors = errors > 0 ? "\(errors) (\(codes.joined(separator: ", ")))" : "0"
        return ["  \(route ?? "(no route)")", "\(requests)", average.shortText, longest.shortText, errors]
    }
}

/// The receivers, for people.
struct ReceiverText {
    /// The number of receivers shown.
    private static let limit = 20

    private let receivers: [Client.Status.Receiver]

    /// Creates the text of a status.
    init(_ receivers: [Client.Status.Receiver]) {
        self.receivers = receivers
    }

    /// One row each; empty if there are no receivers.
    var lines: [String] {
        guard !receivers.isEmpty else { return [] }
        let rows = receivers.prefix(Self.limit).map(\.cells)
        let rest = receivers.count - rows.count
        return ["receivers"] + TextTable(rows).lines + (rest > 0 ? ["  and \(rest) more, which '--json' shows"] : [])
    }
}

extension Client.Status.Receiver {
    fileprivate var cells: [String] {
        [
            "  \(name)", "user \(peer.userID)", "process \(peer.processID)", "for \(uptime.roughText)",
            "\(requests) of \(prefetch) \(prefetch == 1 ? "request" : "requests")",
        ]
    }
}
