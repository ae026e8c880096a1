import ArgumentParser
import XCallbackAdministration
import XCallbackClient

/// Prints the status of the daemon.
struct StatusCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of the daemon.",
        discussion: """
            The daemon's user and root see the counts of all requests, and the durations of each route. Other users \
            see the limits that apply to them, and their own requests in progress and receivers. The text shows ten \
            routes: those with the most errors, then the slowest; --json has all of them.

            Example: xcallback status --json

            Exit status: 0 success, 1 files with faults are not served, 7 daemon not reachable, 64 usage.
            """
    )

    @Flag(help: "Print one JSON object: service, total, limits, accounts, traffic, requests, receivers.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let reply = try await ReplyWatch.wait("to report its status") { try await daemon.call("Status") }
        let status = try Client.Status(reading: reply)
        if json { try Terminal.print(reply) } else { try Terminal.print(status.text) }
        if status.service.unserved != nil { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }
}

extension Client.Status {
    /// The status for people.
    fileprivate var text: String {
        var rows = [
            ["daemon", "xcallbackd \(service.version), process \(service.processID), user \(service.userID)"],
            ["socket", service.socket],
            ["state", "\(service.isStopping ? "stopping" : "running") for \(service.uptime.roughText)"],
            ["routes", "\(service.routeCount)" + faultText],
        ]
        if let unserved = service.unserved { rows.append(["files", "\(unserved): run 'xcallback check'"]) }
        if let total { rows += total.rows }
        let used = limits.map { ["  \($0.name)", "\($0.used)", "of \($0.limit)"] }
        let accounts = accounts.flatMap { account in [[account.title]] + account.rows }
        var lines = TextTable(rows).lines + (used.isEmpty ? [] : ["limits"] + TextTable(used).lines)
        lines += TextTable(accounts).lines
        if !requests.isEmpty {
            lines += ["in progress ('xcallback cancel ID' cancels)"] + TextTable(requests.map(\.cells)).lines
        }
        if !receivers.isEmpty { lines += ["receivers"] + TextTable(receivers.map(\.cells)).lines }
        return (lines + traffic.lines).joined(separator: "\n")
    }

    private var faultText: String {
        if service.faultCount == 0 || service.unserved != nil { return service.changeNote.map { "; \($0)" } ?? "" }
        // Only the system's daemon has a program server, which compares what was loaded with the files.
        let isOfSystem = service.socket == SocketLocation.systemPath
        let refused = isOfSystem ? ", and programs of changed routes answer 503" : ""
        return "; a newer configuration has faults and is not served\(refused): run 'xcallback check'"
    }
}

extension Client.Status.Service {
    /// What to do if the files have changed; nil if they have not, or if they have faults.
    var changeNote: String? {
        isOutdated && faultCount == 0
            ? "the files have changed since they were loaded: run 'xcallback reload'" : nil
    }
}

extension DaemonCommand {
    /// Says on standard error that what was printed is older than the files.
    func warnOfChange(of daemon: Client) async {
        if let note = try? await daemon.statusInTime().service.changeNote { Terminal.printError("note: \(note)") }
    }
}

extension Client.Status.Account {
    fileprivate var title: String {
        "\(userID.map { "user \($0)" } ?? "unknown users")\(kind == "socket" ? "" : ", \(kind)")"
    }

    /// The resources in use, and what ended programs have left behind.
    fileprivate var rows: [[String]] {
        limits.filter { $0.used > 0 }.map { ["  \($0.name)", "\($0.used)", "of \($0.limit)"] }
            + left.map { ["  left behind", $0.unit ?? "process group \($0.group)", "by \($0.route)"] }
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

extension [Client.Status.Traffic] {
    /// The number of routes shown.
    private static let limit = 10

    /// A table of the routes with the most errors, then the slowest; empty if there were no requests.
    fileprivate var lines: [String] {
        if isEmpty { return [] }
        let failing = indices.filter { self[$0].errors > 0 }
            .sorted { (-self[$0].errors, $0) < (-self[$1].errors, $1) }.prefix(Self.limit / 2)
        let slow = indices.filter { !failing.contains($0) }
            .sorted { (self[$1].average, $0) < (self[$0].average, $1) }.prefix(Self.limit - failing.count)
        let shown = (failing + slow).map { self[$0] }
        let count = shown.count < self.count ? "\(shown.count) of \(self.count) routes: " : ""
        let title = "traffic (\(count)those with the most errors, then the slowest)"
        let head = ["  ROUTE", "REQUESTS", "AVERAGE", "LONGEST", "ERRORS"]
        return [title] + TextTable([head] + shown.map(\.cells)).lines
    }
}

extension Client.Status.Traffic {
    fileprivate var cells: [String] {
        let codes = codes.map { "\($0.code.map(String.init) ?? "other"): \($0.errors)" }
        let errors = errors > 0 ? "\(errors) (\(codes.joined(separator: ", ")))" : "0"
        return ["  \(route ?? "(no route)")", "\(requests)", average.shortText, longest.shortText, errors]
    }
}

extension Client.Status.Waiting {
    fileprivate var cells: [String] {
        ["  \(id)", route, "user \(peer.userID)", "process \(peer.processID)", "for \(time.roughText)"]
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
