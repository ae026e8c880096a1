import Testing
import XCallbackClient
import XCallbackCommands
import XCallbackWire

/// How the daemon's figures are shown to people and to other programs.
struct DisplayTests {
    private static func value(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8).span, maximumSize: 1 << 20)
    }

    private static func status(total: Bool) throws -> Client.Status {
        let counts =
            #"{"requests":9,"successes":3,"errors":2,"cancels":1,"redirects":1,"connections":5,"#
            + #""refused_connections":0,"reloads":1,"failed_reloads":0,"refused_returns":2}"#
        let latency = #"{"p50":0.001,"p90":0.002,"p99":0.003,"p999":0.004,"longest":1.5}"#
        return try Client.Status(
            reading: value(
                #"{"service":{"version":"1\"\\\n","pid":7,"uid":8,"socket":"/s","uptime":1.5,"stopping":true,"#
                    + #""routes":3,"faults":0},"limits":[{"name":"line","used":1,"limit":2}],"accounts":[{"user":8,"class":"socket","limits":"#
                    + #"[{"name":"line","used":1,"limit":2}]}],"total":"#
                    + (total ? "\(counts),\"latency\":\(latency)}" : "null}")))
    }

    @Test(arguments: [
        "\u{1B}", "\n", "\u{202E}", "\u{2066}", "\u{200F}", "\u{2028}", "\u{E0000}", "\u{E0001}", "\u{E0002}",
        "\u{E0041}",
        "\u{E007F}", "\u{3164}", "\u{2800}", "\u{FE05}", "\u{E0100}",
    ])
    func whatWouldSteerATerminalIsSeen(character: String) {
        let text = "a\(character)b".withVisibleControls
        #expect(text.wholeMatch(of: /a<U\+[0-9A-F]{4,5}>b/) != nil, "\(text)")
    }

    @Test func metricsAreInTheFormatOfPrometheus() throws {
        let metrics = try PrometheusText(Self.status(total: true)).description
        var metric = ""
        var seen: Set<String> = []
        var samples: Set<String> = []
        for line in metrics.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.wholeMatch(of: /# HELP [a-z_]+ [^\n]+/) != nil { continue }
            if let type = line.wholeMatch(of: /# TYPE ([a-z_]+) (counter|gauge|summary)/) {
                metric = String(type.1)
                #expect(seen.insert(metric).inserted, "\(metric) is there twice")
                #expect(metric.hasSuffix("_total") == (type.2 == "counter"))
            } else {
                let sample = line.wholeMatch(
                    of: /([a-z_]+)(\{([a-z_]+="([^"\\\n]|\\[\\n"])*",?)+\})? [0-9]+(\.[0-9]+)?(e-?[0-9]+)?/)
                #expect(sample.map { String($0.1) } == metric, "\(line)")
                #expect(samples.insert(String(line.prefix { $0 != " " })).inserted, "\(line) is there twice")
            }
        }
        #expect(metrics.contains("\nxcallbackd_info{version=\"1\\\"\\\\\\n\"} 1\n"))
        #expect(metrics.contains("\nxcallbackd_refused_returns_total 2\n"))
        #expect(metrics.contains("\nxcallbackd_request_duration_seconds{quantile=\"0.99\"} 0.003\n"))
        #expect(metrics.contains("\nxcallbackd_limit_used{limit=\"line\"} 1\n"))
        #expect(metrics.hasSuffix("\nxcallbackd_account_used{user=\"8\",class=\"socket\",limit=\"line\"} 1"))
    }

    @Test func whatTheUserMayNotKnowIsNoMetric() throws {
        let metrics = try PrometheusText(Self.status(total: false)).description
        #expect(!metrics.contains("requests_total"))
        #expect(!metrics.contains("duration"))
        #expect(metrics.contains("xcallbackd_routes 3\n"))
    }

    private static let event =
        #"{"kind":"answer","time":1.25,"number":1,"id":"7h3kq2vd-41","url":"n:/\u001b","route":"n:/:a","origin":"desktop","#
        + #""peer":{"uid":1,"gid":2,"pid":3},"outcome":"error","code":404,"answer":"a:/e","by":"daemon","duration":0.5}"#

    @Test func anEventIsALineThatCannotSteerTheTerminal() throws {
        let event = try Client.Event(reading: Self.value(Self.event))
        let line = EventLine(isColoured: false).text(of: event)
        #expect(line.contains(".250  error 404  500 ms  desktop  1/3           7h3kq2vd-41   n:/:a "), "\(line)")
        #expect(line.hasSuffix("n:/<U+001B> -> a:/e"))
        #expect(EventLine(isColoured: true).text(of: event) == "\u{1B}[31m\(line)\u{1B}[m")
    }

    @Test(arguments: ["\"uid\":1000,\"gid\":2,\"pid\":4194304", "\"uid\":4294967294,\"gid\":2,\"pid\":4194304"])
    func aLongCellLeavesTheLastColumnsInLine(peer: String) throws {
        let text = Self.event.replacing("\"uid\":1,\"gid\":2,\"pid\":3", with: peer)
        let line = try EventLine(isColoured: false).text(of: Client.Event(reading: Self.value(text)))
        let column = try #require(EventLine.title.firstRange(of: "URL"))
        let before = EventLine.title[..<column.lowerBound].count
        #expect(line.dropFirst(before).hasPrefix("n:/<U+001B>"), "\(line)")
    }
}
