/// The cost of a reload of many routes for connected clients.
enum ReloadSection: Section {
    static let name = "reload"

    private static let routes = 10_000

    static func run(on bench: Bench, into report: inout Report) throws {
        let daemon = try ReloadedDaemon(routes: routes, on: bench)
        var (loopTimes, reloads, pauses): ([Double], [LoneSamples], [LoneSamples]) = ([], [], [])
        for _ in 0..<bench.effort.starts {
            loopTimes.append(try bench.stolenTime.measure { try daemon.reloadUnasked() })
            let asked = try bench.stolenTime.measure { try daemon.reloadAsked() }
            reloads.append(asked.reload)
            pauses.append(asked.pause)
        }
        report.add("the loop's processor time for a reload of 10,000 routes, ms", loopTimes.median)
        report.add("longest stall of a client by a reload of 10,000 routes, ms", reloads.map(\.longest).median)
        func row(_ name: String, _ values: [Double]) -> [String] {
            [name, values.median.short, (values.max() ?? .nan).short]
        }
        var rows = [
            row("the loop's processor time for it", loopTimes),
            row("longest time of an answer meanwhile", reloads.map(\.longest)),
            row("the same in as much time without a reload", pauses.map(\.longest)),
        ]
        if daemon.canMeasureTurns {
            rows += [
                row("most of the loop's processor time for an answer meanwhile", reloads.map(\.mostProcessor)),
                row("the same in as much time without a reload", pauses.map(\.mostProcessor)),
            ]
        }
        report.add(
            Table(
                title: "A reload of 10,000 routes, ms",
                columns: ["what", "median of \(bench.effort.starts)", "most"],
                rows: rows,
                note: "The first row is without clients; the others are of a client that always asks."
            ))
    }
}
