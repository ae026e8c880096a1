/// Programs: `exec` of `/bin/true`, compared with a loop that only starts it.
enum ProgramsSection: Section {
    static let name = "programs"

    private static let atATime = 8

    static func run(on bench: Bench, into report: inout Report) throws {
        var daemon = try bench.startDaemon()
        daemon.question = ["--request", "notes:/program?x-success=caller:done\n", "--reply", "caller:done\n"]
        let load = Load(connections: atATime, inFlight: 1)
        var results: [[LoadResult]] = [[], []]
        for round in 0..<bench.effort.rounds {
            for index in round % 2 == 0 ? [0, 1] : [1, 0] {
                results[index].append(
                    try index == 0
                        ? bench.measure(daemon, with: load)
                        : bench.measureStarts(of: "/bin/true", atATime: atATime))
            }
        }
        let medians = results.map { LoadResult.median(of: $0) }
        report.add("programs/s to a C loop", zip(results[0], results[1]).map { $0.rate / $1.rate }.median)
        report.add(
            Table(
                title: "Programs: `/bin/true`, \(atATime) at a time",
                columns: ["server", "programs/s", "p50 µs", "p99 µs"],
                rows: zip(["xcallbackd, `exec`", "C loop of `posix_spawn`"], medians).map {
                    [$0, $1.rate.short, $1.p50.short, $1.p99.short]
                }
            ))
    }
}
