/// Occasional requests, like those of a person.
enum LoneSection: Section {
    static let name = "lone"

    static func run(on bench: Bench, into report: inout Report) throws {
        let servers = try [
            bench.startDaemon(), bench.startYardstick(), bench.startRedis(), bench.startHTTPPeer(),
        ].compactMap { $0 }
        let comparison = try bench.compare(servers, with: [Load(connections: 1, inFlight: 1, manner: .lone)])
        var table = Table(
            title: "A lone request every 20 ms, µs", columns: ["server", "p50", "p99"],
            note: "In brackets: what the daemon is to it."
        )
        for (index, server) in servers.enumerated() {
            table.rows.append([
                server.name, comparison.cell(\.p50, load: 0, server: index, ratioOf: 0, to: index),
                comparison.cell(\.p99, load: 0, server: index, ratioOf: 0, to: index),
            ])
            report.add(
                "p50 of a lone request to \(server.shortName)", comparison.ratio(\.p50, load: 0, of: 0, to: index))
        }
        report.add(table)
    }
}
