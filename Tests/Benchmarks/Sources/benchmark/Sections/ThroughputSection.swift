/// Requests per second, latencies and time of the processor, beside all peers.
enum ThroughputSection: Section {
    static let name = "throughput"

    static let loads = [
        Load(connections: 1, inFlight: 1), Load(connections: 1, inFlight: 64), Load(connections: 64, inFlight: 1),
        Load(connections: 64, inFlight: 16), Load(connections: 1000, inFlight: 1),
    ]

    static func run(on bench: Bench, into report: inout Report) throws {
        let bus = try bench.busPrograms.map { try MessageBus(on: bench, programs: $0) }
        let daemon = try bench.startDaemon()
        let peers = try [bench.startYardstick(), bench.startRedis(), bus?.server, bench.startHTTPPeer()]
        let servers = [daemon] + peers.compactMap { $0 }
        let results = try bench.compare(servers, with: loads)
        for (load, results) in zip(loads, results) {
            for (server, result) in zip(servers, results).dropFirst() {
                report.add("requests/s at \(load.label) to \(server.shortName)", results[0].rate / result.rate)
            }
        }
        report.add(rates(of: servers, results))
        report.add(latencies(of: servers, results))
        report.add(processorTimes(of: servers, results))
    }

    private static func rates(of servers: [Server], _ results: [[LoadResult]]) -> Table {
        var table = Table(
            title: "Requests per second",
            columns: ["connections, in flight"] + loads.map(\.label),
            note: "100 routes, `user`, `rate` and `log`. In brackets: what the daemon is to it."
        )
        for (index, server) in servers.enumerated() {
            table.rows.append(
                [server.name]
                    + results.map { results in
                        let rate = results[index].rate
                        return index == 0 ? rate.short : "\(rate.short) (\((results[0].rate / rate).ratio))"
                    })
        }
        table.rows.append(["the client's load, daemon"] + results.map { $0[0].clientLoad.ratio })
        return table
    }

    private static func latencies(of servers: [Server], _ results: [[LoadResult]]) -> Table {
        var table = Table(
            title: "Latency, µs: p50 / p99 / p99.9",
            columns: ["connections, in flight"] + loads.map(\.label),
            note: "The loop is closed: with many in flight, most of it is waiting behind the others."
        )
        for (index, server) in servers.enumerated() {
            table.rows.append([server.name] + results.map { latency(of: $0[index]) })
        }
        return table
    }

    private static func processorTimes(of servers: [Server], _ results: [[LoadResult]]) -> Table {
        var table = Table(
            title: "Time of the processor, µs per request",
            columns: ["connections, in flight"] + loads.map(\.label),
            note: "All threads of a server; for D-Bus, broker and service. In brackets: what the daemon is to it."
        )
        for (index, server) in servers.enumerated() {
            table.rows.append(
                [server.name]
                    + results.map { results in
                        let time = results[index].processor
                        return index == 0 ? time.short : "\(time.short) (\((results[0].processor / time).ratio))"
                    })
        }
        return table
    }

    /// A cell with the latencies of a result.
    static func latency(of result: LoadResult) -> String {
        "\(result.p50.short) / \(result.p99.short) / \(result.p999.short)"
    }
}
