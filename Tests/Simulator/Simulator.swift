import Glibc

@main
enum Simulator {
    static func main() throws {
        let simulation = try Simulation()
        let arguments = CommandLine.arguments
        let first = UInt64(arguments.dropFirst().first ?? "1") ?? 1
        let last = UInt64(arguments.dropFirst(2).first ?? "\(first)") ?? first
        let isVerbose = arguments.contains("--trace")
        for seed in first...last {
            let result = try simulation.run(Story(seed: seed), isVerbose: isVerbose)
            if let fault = result.fault { print("seed \(seed): \(fault)") }
            if first == last { print("seed \(seed): \(result.fingerprint)") }
        }
    }
}
