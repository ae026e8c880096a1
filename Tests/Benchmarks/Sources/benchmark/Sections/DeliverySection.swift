/// A request that another client handles: client, daemon, receiver, daemon, client; compared with a method call over D-Bus.
enum DeliverySection: Section {
    static let name = "delivery"

    private static let counts = [1, 64]

    static func run(on bench: Bench, into report: inout Report) throws {
        guard let programs = bench.busPrograms else { return }
        let bus = try MessageBus(on: bench, programs: programs).server
        var daemon = try bench.startDaemon()
        daemon.question = [
            "--request", "notes:/delivered?x-success=caller:done\n", "--reply", "caller:done?result=ok\n",
        ]
        let receiver = try bench.startServer("receiver", [daemon.socket, "peer", "\(counts.max() ?? 1)"])
        _ = try receiver.readLine()
        var table = Table(
            title: "Round trips through another client",
            columns: ["server"] + counts.flatMap { ["requests/s, \($0) in flight", "p50 µs"] },
            note: "In brackets: what the daemon is to a method call."
        )
        var rows = [["xcallbackd, `deliver`"], [bus.name]]
        for count in counts {
            // Requests on one connection are answered one at a time; calls over D-Bus are not.
            let loads = [Load(connections: count, inFlight: 1), Load(connections: 1, inFlight: count)]
            var results: [[LoadResult]] = [[], []]
            for round in 0..<bench.effort.rounds {
                for index in round % 2 == 0 ? [0, 1] : [1, 0] {
                    results[index].append(try bench.measure([daemon, bus][index], with: loads[index]))
                }
            }
            let ratio = zip(results[0], results[1]).map { $0.rate / $1.rate }.median
            report.add("round trips/s, \(count) in flight, to a D-Bus call", ratio)
            for index in rows.indices {
                let median = LoadResult.median(of: results[index])
                rows[index] += ["\(median.rate.short)\(index == 0 ? "" : " (\(ratio.ratio))")", median.p50.short]
            }
        }
        table.rows = rows
        report.add(table)
    }
}
