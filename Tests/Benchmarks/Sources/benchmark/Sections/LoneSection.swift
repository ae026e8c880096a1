/// A request now and then, as a person makes them.
enum LoneSection: Section {
    static let name = "lone"

    static func run(on bench: Bench, into report: inout Report) throws {
        let servers = try [
            bench.startDaemon(), bench.startYardstick(), bench.startRedis(), bench.startHTTPPeer(),
        ].compactMap { $0 }
        let load = Load(connections: 1, inFlight: 1, manner: .lone)
        let results = try bench.compare(servers, with: [load])[0]
        var table = Table(
            title: "A lone request every 20 ms, µs",
            columns: ["server", "p50", "p99", "daemon to it, p50"]
        )
        for (server, result) in zip(servers, results) {
            let ratio = results[0].p50 / result.p50
            table.rows.append([server.name, result.p50.short, result.p99.short, ratio.ratio])
            report.add("p50 of a lone request to \(server.shortName)", ratio)
        }
        report.add(table)
    }
}
