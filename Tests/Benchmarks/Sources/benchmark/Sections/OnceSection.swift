/// Clients that connect for each request, like scripts.
enum OnceSection: Section {
    static let name = "once"

    private static let loads = [1, 16].map { Load(connections: $0, inFlight: 1, manner: .onceEach) }

    static func run(on bench: Bench, into report: inout Report) throws {
        let servers = try [
            bench.startDaemon(), bench.startYardstick(), bench.startRedis(), bench.startHTTPPeer(),
        ].compactMap { $0 }
        let comparison = try bench.compare(servers, with: loads)
        var table = Table(
            title: "One request per connection",
            columns: ["server"] + loads.flatMap { ["requests/s, \($0.connections) at a time", "µs of the processor"] },
            note: "Connect, ask, read, close. In brackets: what the daemon is to it."
        )
        for (index, server) in servers.enumerated() {
            table.rows.append(
                [server.name]
                    + loads.indices.flatMap { place in
                        [
                            comparison.cell(\.rate, load: place, server: index, ratioOf: 0, to: index),
                            comparison.median(load: place, server: index).processor.short,
                        ]
                    })
        }
        report.add(table)
        for (place, load) in loads.enumerated() {
            for (index, server) in servers.enumerated().dropFirst() {
                let clients = load.connections == 1 ? "1 client" : "\(load.connections) clients"
                report.add(
                    "connections/s, \(clients), to \(server.shortName)",
                    comparison.ratio(\.rate, load: place, of: 0, to: index))
            }
        }
    }
}
