/// The cost of middleware and policies.
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
        let comparison = try bench.compare(servers, with: loads)
        var table = Table(
            title: "Stages: requests per second, and µs of the processor",
            columns: ["before the handler"] + loads.map { "at \($0.label)" } + loads.map { "µs at \($0.label)" },
            note: "In brackets: what it is to none."
        )
        for (index, server) in servers.enumerated() {
            func cells(_ figure: KeyPath<LoadResult, Double>) -> [String] {
                loads.indices.map { comparison.cell(figure, load: $0, server: index, ratioOf: index, to: 0) }
            }
            table.rows.append([server.name] + cells(\.rate) + cells(\.processor))
        }
        report.add(table)
    }
}
