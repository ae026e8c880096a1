import ArgumentParser
import XCallbackAdministration
import XCallbackClient

/// Prints the status of the daemon.
struct StatusCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of the daemon.",
        discussion: """
            The daemon's user and root see the counts and durations of all requests, and of each route. Other users \
            see the limits that apply to them, and their own receivers. The text shows ten routes: those with the most \
            errors, then the slowest; --json has all of them.

            Example: xcallback status --json

            Exit status: 0 success, 7 daemon not reachable, 64 usage.
            """
    )

    @Flag(help: "Print one JSON object: service, total, latency, limits, accounts, traffic, receivers.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let reply = try await ReplyWatch.wait("to report its status") { try await daemon.call("Status") }
        if json { return try Terminal.print(reply) }
        try Terminal.print(Client.Status(reading: reply).text)
    }
}

extension Client.Status {
    /// The status for people.
    fileprivate var text: String {
        var rows = [
            ["daemon", "xcallbackd \(service.version), process \(service.processID), user \(service.userID)"],
            ["socket", service.socket],
            ["state", state],
            ["routes", "\(service.routeCount)" + faultText],
        ]
        if let total { rows += total.rows }
        if let latency { rows += latency.rows }
        let used = limits.map { ["  \($0.name)", "\($0.used)", "of \($0.limit)"] }
        let accounts = accounts.flatMap { account in [["\(account.title)"]] + account.rows }
        return
            (TextTable(rows).lines + (used.isEmpty ? [] : ["limits"] + TextTable(used).lines)
            + TextTable(accounts).lines + ReceiverText(receivers).lines + TrafficText(traffic).lines).joined(
                separator: "\n")
    }

    private var state: String {
        "\(service.isStopping ? "stopping" : "running") for \(service.uptime.roughText)"
    }

    private var faultText: String {
        switch service.faultCount {
        case 0: ""
        case _ where service.routeCount == 0: "; its configuration has faults and is not served: run 'xcallback check'"
        case 1: "; a newer configuration has 1 fault and is not served: run 'xcallback check'"
        case let count: "; a newer configuration has \(count) faults and is not served: run 'xcallback check'"
        }
    }
}

extension Client.Status.Account {
    fileprivate var title: String {
        "\(userID.map { "user \($0)" } ?? "unknown users")\(kind == "socket" ? "" : ", \(kind)")"
    }

    /// The resources in use.
    fileprivate var rows: [[String]] {
        limits.filter { $0.used > 0 }.map { ["  \($0.name)", "\($0.used)", "of \($0.limit)"] }
    }
}

extension Client.Status.Total {
    fileprivate var rows: [[String]] {
        [
            [
                "requests",
                "\(requests) (success \(successes), error \(errors), cancel \(cancels), redirect \(redirects))",
            ],
            ["connections", "\(connections) (refused \(refusedConnections))"],
            ["reloads", "\(reloads) (failed \(failedReloads))"],
            ["calls", "refused answers: \(refusedReturns)"],
        ]
    }
}

extension Client.Status.Latency {
    fileprivate var rows: [[String]] {
        let shares = [("50 %", p50), ("90 %", p90), ("99 %", p99), ("99.9 %", p999)]
        let texts = shares.map { "\($0) within \($1.shortText)" } + ["all within \(longest.shortText)"]
        return [["took", texts.joined(separator: ", ")]]
    }
}
