/// `Open` in Varlink, beside the same request as a line.
enum VarlinkSection: Section {
    static let name = "varlink"

    private static let loads = [Load(connections: 1, inFlight: 1), Load(connections: 64, inFlight: 16)]

    static func run(on bench: Bench, into report: inout Report) throws {
        let lines = try bench.startDaemon(name: "lines")
        var calls = try bench.startDaemon(name: "`Open`")
        calls.question = Question.call
        let comparison = try bench.compare([calls, lines], with: loads)
        for (place, load) in loads.enumerated() {
            report.add("Open/s at \(load.label) to lines", comparison.ratio(\.rate, load: place, of: 0, to: 1))
        }
        var table = Table(
            title: "Varlink beside lines",
            columns: ["dialect"] + loads.flatMap { ["requests/s, \($0.label)", "µs of the processor"] },
            note: "In brackets: what `Open` is to a line."
        )
        for (index, server) in comparison.servers.enumerated() {
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
    }
}
