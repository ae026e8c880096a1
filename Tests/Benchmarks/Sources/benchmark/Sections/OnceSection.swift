/// Clients that connect for each request, as scripts do.
enum OnceSection: Section {
    static let name = "once"

    private static let loads = [1, 16].map { Load(connections: $0, inFlight: 1, manner: .onceEach) }

    static func run(on bench: Bench, into report: inout Report) throws {
        let servers = try [
            bench.startDaemon(), bench.startYardstick(), bench.startRedis(), bench.startHTTPPeer(),
        ].compactMap { $0 }
        let results = try bench.compare(servers, with: loads)
        var table = Table(
            title: "One request per connection",
            columns: ["server"] + loads.flatMap { ["requests/s, \($0.connections) at a time", "µs CPU"] },
            note: "Connect, ask, read, close. In brackets: what the daemon is to it."
        )
        for (index, server) in servers.enumerated() {
            table.rows.append(
                [server.name]
                    + results.flatMap { results in
                        let result = results[index]
                        let ratio = index == 0 ? "" : " (\((results[0].rate / result.rate).ratio))"
                        return [result.rate.short + ratio, result.processor.short]
                    })
        }
        report.add(table)
        for (load, results) in zip(loads, results) {
            for (server, result) in zip(servers, results).dropFirst() {
                let clients = load.connections == 1 ? "1 client" : "\(load.connections) clients"
                report.add("connections/s, \(clients), to \(server.shortName)", results[0].rate / result.rate)
            }
        }
    }
}
