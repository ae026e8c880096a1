/// What the number of routes costs.
enum RoutesSection: Section {
    static let name = "routes"

    private static let counts = [10, 100, 1000, 10_000]
    private static let loads = [
        Load(connections: 1, inFlight: 1), Load(connections: 64, inFlight: 1), Load(connections: 1, inFlight: 64),
    ]

    static func run(on bench: Bench, into report: inout Report) throws {
        let servers = try counts.flatMap { count in
            let file = try bench.workspace.write(Question.requests(forRoutes: count), to: "requests\(count)")
            let question = ["--requests", file, "--reply", Question.reply + "\n"]
            var daemon = try bench.startDaemon(.init(routes: count))
            var yardstick = try bench.startYardstick(routes: count)
            daemon.question = question
            yardstick.question = question
            return [daemon, yardstick]
        }
        let results = try bench.compare(servers, with: loads)
        var table = Table(
            title: "Routes: requests per second",
            columns: ["routes", "server"] + loads.map { "at \($0.label)" } + loads.map { "µs CPU at \($0.label)" },
            words: 2,
            note: "The requests go to all routes in turn, or to 1,000 of them. In brackets: what it is to 100 routes."
        )
        for (index, server) in servers.enumerated() {
            let reference = 2 + index % 2
            func cell(_ results: [LoadResult], _ figure: KeyPath<LoadResult, Double>) -> String {
                let value = results[index][keyPath: figure]
                return "\(value.short) (\((value / results[reference][keyPath: figure]).ratio))"
            }
            table.rows.append(
                [Double(counts[index / 2]).plain, server.name] + results.map { cell($0, \.rate) }
                    + results.map { cell($0, \.processor) })
        }
        report.add(table)
        for (load, results) in zip(loads, results) {
            let costs = [6, 2].map { 1 / results[$0].rate }
            report.add("a request with 10,000 routes to one with 100, at \(load.label)", costs[0] / costs[1])
        }
    }
}
