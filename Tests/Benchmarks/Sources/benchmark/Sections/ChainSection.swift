/// What middleware and policies cost.
enum ChainSection: Section {
    static let name = "chain"

    private static let loads = [
        Load(connections: 1, inFlight: 1), Load(connections: 64, inFlight: 1), Load(connections: 1, inFlight: 64),
    ]

    static func run(on bench: Bench, into report: inout Report) throws {
        let servers = try [
            bench.startDaemon(.init(chain: .none), name: "no stage"),
            bench.startDaemon(.init(chain: .usual), name: "`log`, 2 policies"),
            bench.startDaemon(.init(chain: .long), name: "`log`, 8 policies"),
        ]
        let results = try bench.compare(servers, with: loads)
        var table = Table(
            title: "Stages: requests per second",
            columns: ["before the handler"] + loads.map { "at \($0.label)" } + loads.map { "µs CPU at \($0.label)" },
            note: "In brackets: what it is to none."
        )
        for (index, server) in servers.enumerated() {
            func cell(_ results: [LoadResult], _ figure: KeyPath<LoadResult, Double>) -> String {
                let value = results[index][keyPath: figure]
                return "\(value.short) (\((value / results[0][keyPath: figure]).ratio))"
            }
            table.rows.append(
                [server.name] + results.map { cell($0, \.rate) } + results.map { cell($0, \.processor) })
        }
        report.add(table)
    }
}
