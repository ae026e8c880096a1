/// Requests per second, latencies and processor time, beside all peers.
enum ThroughputSection: Section {
    static let name = "throughput"

    private static let loads = [
        Load(connections: 1, inFlight: 1), Load(connections: 1, inFlight: 64), Load(connections: 64, inFlight: 1),
        Load(connections: 64, inFlight: 16), Load(connections: 1000, inFlight: 1),
    ]

    private static let inBrackets = "In brackets: what the daemon is to that server."

    static func run(on bench: Bench, into report: inout Report) throws {
        let bus = try bench.busPrograms.map { try MessageBus(on: bench, programs: $0) }
        let daemon = try bench.startDaemon()
        let peers = try [bench.startYardstick(), bench.startRedis(), bus?.server]
        let servers = [daemon] + peers.compactMap { $0 }
        let comparison = try bench.compare(servers, with: loads)
        for (place, load) in loads.enumerated() {
            for (index, server) in comparison.servers.enumerated().dropFirst() {
                report.add(
                    "requests/s at \(load.label) to \(server.shortName)",
                    comparison.ratio(\.rate, load: place, of: 0, to: index))
            }
        }
        report.add(rates(comparison))
        report.add(
            table(comparison, "Latency, µs: p50 / p99", note: "With many in flight, most of it is waiting.") {
                place, index in
                let result = comparison.median(load: place, server: index)
                return "\(result.p50.short) / \(result.p99.short)"
            })
        report.add(
            table(comparison, "Time of the processor, µs per request", note: inBrackets) { place, index in
                comparison.cell(\.processor, load: place, server: index, ratioOf: 0, to: index)
            })
    }

    private static func rates(_ comparison: Comparison) -> Table {
        var rates = table(comparison, "Requests per second", note: "With `user`, `rate` and `log`. \(inBrackets)") {
            place, index in
            comparison.cell(\.rate, load: place, server: index, ratioOf: 0, to: index)
        }
        rates.rows.append(
            ["the load's processor, daemon"]
                + loads.indices.map { comparison.median(load: $0, server: 0).clientLoad.ratio })
        return rates
    }

    /// Returns a table with one server per row and one load per column.
    private static func table(
        _ comparison: Comparison, _ title: String, note: String, cell: (Int, Int) -> String
    ) -> Table {
        Table(
            title: title,
            columns: ["connections, in flight"] + loads.map(\.label),
            rows: comparison.servers.enumerated().map { index, server in
                [server.name] + loads.indices.map { cell($0, index) }
            },
            note: note
        )
    }
}
