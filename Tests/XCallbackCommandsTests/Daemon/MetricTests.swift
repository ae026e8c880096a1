import Testing
import XCallbackClient

/// What `xcallback status` prints of a real daemon: metrics, and the text for people.
@Suite(.timeLimit(.minutes(5)))
struct MetricTests {
    private static let configuration = #"""
        schemes: [app]
        routes:
          - { route: 'app:/say/:"a \"word"', respond: { ok: 1 } }
          - { route: 'app:/star/\*', respond: { ok: 1 } }
          - { route: "app:/run", exec: [sh, -c, "exit 7"] }
          - { route: "app:/away", redirect: "other:/" }
          - { route: "app:/edit", deliver: editor }
        """#

    /// A metric as it is read: `# HELP`, `# TYPE`, and its samples.
    private struct Metric {
        let name: String
        let type: String
        var samples: [(suffix: String, labels: [(name: String, value: String)])] = []
    }

    /// Reads metrics as a program does; each is what the format says, or an error.
    private static func metrics(_ text: String) throws -> [Metric] {
        var metrics: [Metric] = []
        var help: Substring?
        for line in text.split(separator: "\n") {
            if let match = line.wholeMatch(of: /# HELP (\S+) [A-Z][^\\]*\./) {
                help = match.1
            } else if let match = line.wholeMatch(of: /# TYPE (\S+) (counter|gauge|summary)/) {
                #expect(match.1 == help, "\(line) has no help")
                #expect(!metrics.contains { $0.name == match.1 }, "\(line) is there twice")
                metrics.append(Metric(name: String(match.1), type: String(match.2)))
            } else {
                let match = try #require(line.wholeMatch(of: /([a-z_]+)(?:\{(.*)\})? [0-9.e+-]+/), "\(line)")
                let name = try #require(metrics.last?.name)
                #expect(match.1.hasPrefix(name), "\(line) is none of \(name)")
                let labels = try labels(String(match.2 ?? ""))
                metrics[metrics.count - 1].samples.append((String(match.1.dropFirst(name.count)), labels))
            }
        }
        return metrics
    }

    private static func labels(_ text: String) throws -> [(name: String, value: String)] {
        var labels: [(String, String)] = []
        var rest = text[...]
        while !rest.isEmpty {
            let match = try #require(rest.prefixMatch(of: /([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)",?/), "\(text)")
            let value = String(match.2).replacing(/\\(.)/) { $0.1 == "n" ? "\n" : String($0.1) }
            labels.append((String(match.1), value))
            rest = rest[match.range.upperBound...]
        }
        return labels
    }

    /// The rules of `promtool check metrics`.
    private static func check(_ metric: Metric) {
        let words = metric.name.split(separator: "_").map(String.init)
        #expect(metric.name.wholeMatch(of: /xcallbackd(_[a-z]+)+/) != nil, "\(metric.name)")
        #expect((words.last == "total") == (metric.type == "counter"), "\(metric.name) is a \(metric.type)")
        #expect(!["count", "sum", "bucket"].contains(words.last), "\(metric.name)")
        #expect(!words.contains { ["counter", "gauge", "histogram", "summary", "untyped"].contains($0) })
        let shortUnits = ["s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb", "tb", "pb", "m", "h", "d"]
        let otherUnits = ["milliseconds", "microseconds", "nanoseconds", "minutes", "hours", "days", "bits", "percent"]
        #expect(!words.contains { (shortUnits + otherUnits).contains($0) }, "\(metric.name)")
        #expect(!words.contains("duration") || words.contains("seconds"), "\(metric.name)")
        for sample in metric.samples {
            let names = sample.labels.map(\.name)
            #expect(!names.contains("le") && (metric.type == "summary" || !names.contains("quantile")))
            #expect(Set(names).count == names.count)
            #expect(metric.type == "summary" ? ["", "_sum", "_count"].contains(sample.suffix) : sample.suffix.isEmpty)
        }
        let keys = metric.samples.map { sample in
            "\(sample.suffix) \(sample.labels.map { "\($0.name)=\($0.value)" }.sorted())"
        }
        #expect(Set(keys).count == keys.count, "\(metric.name) has a sample twice")
    }

    /// Asks for the status until it holds a text.
    private static func status(
        _ workspace: borrowing CommandWorkspace, _ arguments: String..., until wanted: String
    ) throws -> String {
        let words = ["status", "--socket", workspace.socket] + arguments
        for _ in 0..<1_000 {
            let text = try SpawnedProgram("xcallback", words, in: workspace.directory).finish().output
            if text.contains(wanted) { return text }
        }
        throw TestFailure("the status has no \(wanted)")
    }

    @Test func theMetricsOfADaemonFollowTheRulesOfPrometheus() throws {
        let workspace = try CommandWorkspace()
        let daemon = try workspace.startDaemon(Self.configuration)
        let receiver = try workspace.start("listen", "editor", "--socket", workspace.socket, "--", "cat")
        _ = try workspace.open("app:/say/a", "app:/star/*", "app:/run", "app:/away", "app:/none", "app:/%")
        let text = try Self.status(
            workspace, "--prometheus", until: "xcallbackd_receivers{receiver=\"editor\"} 1\n")
        let metrics = try Self.metrics(text)
        metrics.forEach(Self.check)
        let routes = try #require(metrics.first { $0.name == "xcallbackd_route_requests_total" }).samples
            .map { $0.labels.map(\.value).joined(separator: " ") }
        #expect(
            routes
                == [
                    #"app:/say/:"a \"word" success "#, #"app:/star/\* success "#, "app:/run success ",
                    "app:/run error 7",
                    "app:/away success ", "app:/away redirect ", "none success ", "none error 404", "none error 400",
                ].sorted { Self.place($0, routes) < Self.place($1, routes) })
        let times = metrics.first { $0.name == "xcallbackd_route_request_duration_seconds" }
        #expect(times?.samples.count == 10)
        #expect(metrics.contains { $0.name == "xcallbackd_route_request_duration_max_seconds" })
        _ = consume receiver
        _ = consume daemon
    }

    /// Where a sample is expected: the order says nothing.
    private static func place(_ sample: String, _ samples: [String]) -> Int {
        samples.firstIndex(of: sample) ?? .max
    }

    @Test func peopleSeeTheRoutesThatFailAndThoseThatAreSlow() throws {
        let failing = (1...6).map { "  - { route: 'app:/fail\($0)', exec: [sh, -c, 'exit \($0)'] }\n" }
        let fast = (1...6).map { "  - { route: 'app:/fast\($0)', respond: { ok: 1 } }\n" }
        let workspace = try CommandWorkspace()
        let daemon = try workspace.startDaemon(
            "schemes: [app]\nroutes:\n  - { route: 'app:/slow', exec: [sleep, '0.5'] }\n"
                + (failing + fast).joined())
        for number in 1...6 {
            _ = try workspace.open("app:/fast\(number)")
            for _ in 0..<number { _ = try workspace.open("app:/fail\(number)") }
        }
        _ = try workspace.open("app:/slow")
        let lines = try workspace.run("status", "--socket", workspace.socket).output.split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("traffic ") })
        #expect(lines[start] == "traffic (10 of 13 routes: those with the most errors, then the slowest)")
        let rows = lines[(start + 2)...].map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        let routes = rows.map { String($0[0]) }
        #expect(routes.count == 10)
        #expect(
            routes.prefix(6) == ["app:/fail6", "app:/fail5", "app:/fail4", "app:/fail3", "app:/fail2", "app:/slow"])
        #expect(rows.first?.suffix(3) == ["6", "(6:", "6)"])
        _ = consume daemon
    }

    @Test func peopleSeeWhoReceives() throws {
        let workspace = try CommandWorkspace()
        let daemon = try workspace.startDaemon(Self.configuration)
        let receiver = try workspace.start("listen", "editor", "--socket", workspace.socket, "--", "cat")
        let text = try Self.status(workspace, until: "receivers\n")
        #expect(text.contains(/\n  editor  user \d+  process \d+  for \d+ s  0 of 1 request\n/), "\(text)")
        _ = consume receiver
        _ = consume daemon
    }
}
