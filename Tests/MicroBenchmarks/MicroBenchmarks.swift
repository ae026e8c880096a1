import Glibc
import XCallbackWire

/// Measures what the parts of a request cost, without a socket.
@main
enum MicroBenchmarks {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            let message = Array("\(error)\n".utf8)
            write(STDERR_FILENO, message, message.count)
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        guard arguments.isEmpty || arguments == ["--json"] else {
            throw BenchmarkFailure("expected '--json' or nothing, found '\(arguments.joined(separator: " "))'")
        }
        let measurements = try Measurement.all(of: benchmarks())
        if arguments.isEmpty {
            for measurement in measurements { print(measurement.line) }
        } else {
            print(JSONValue.array(measurements.map(\.json)))
        }
    }

    private static func benchmarks() throws -> [Benchmark] {
        try [
            .parse(), .match(routes: 10), .match(routes: 100), .match(routes: 1000),
            .match(routes: 10_000), .callback(), .answer(), .decode(), .encode(), .json(),
        ] + Benchmark.values()
    }
}
