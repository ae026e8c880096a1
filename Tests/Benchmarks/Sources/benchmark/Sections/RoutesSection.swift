/// The cost of the number of routes.
enum RoutesSection: Section {
    static let name = "routes"

    private static let counts = [10, 100, 1000, 10_000]
    private static let loads = [
        Load(connections: 1, inFlight: 1), Load(connections: 64, inFlight: 1), Load(connections: 1, inFlight: 64),
    ]

    static func run(on bench: Bench, into report: inout Report) throws {
        let comparison = try bench.compare(try servers(on: bench), with: loads)
        var table = Table(
            title: "Routes: requests per second, and µs of the processor",
            columns: ["routes", "server"] + loads.map { "at \($0.label)" } + loads.map { "µs at \($0.label)" },
            words: 2,
            note: "The requests go to all routes in turn, or to 1,000 of them. In brackets: what it is to 100 routes."
        )
        for (index, server) in comparison.servers.enumerated() {
            func cells(_ figure: KeyPath<LoadResult, Double>) -> [String] {
                loads.indices.map {
                    comparison.cell(figure, load: $0, server: index, ratioOf: index, to: 2 + index % 2)
                }
            }
            table.rows.append(
                [Double(counts[index / 2]).plain, server.name] + cells(\.rate) + cells(\.processor))
        }
        report.add(table)
        for (place, load) in loads.enumerated() {
            let cost = comparison.ratio(\.processor, load: place, of: 6, to: 2)
            report.add("µs of a request with 10,000 routes to one with 100, at \(load.label)", cost)
        }
    }

    /// Returns a daemon and a yardstick for each number of routes.
    private static func servers(on bench: Bench) throws -> [Server] {
        try counts.flatMap { count in
            let file = try bench.workspace.write(Question.requests(forRoutes: count), to: "requests\(count)")
            let question = ["--requests", file, "--reply", Question.reply + "\n"]
            var daemon = try bench.startDaemon(.init(routes: count))
            var yardstick = try bench.startYardstick(routes: count)
            daemon.question = question
            yardstick.question = question
            return [daemon, yardstick]
        }
    }
}
