import Glibc
import XCallbackTesting

/// Lets the daemon live through stories, each of which follows from a number.
///
///     simulate 1-10000          these stories
///     simulate --seconds 3600   as many as fit, from a number on that follows from the time
///     simulate 17 --trace       one story, with all that happens
///
/// Stories run in processes of their own, where nothing depends on anything but the story; one that ends the process is
/// known by its number. A story in which something is wrong is shortened, and told with the command that repeats it.
@main
enum Simulator {
    static func main() {
        do {
            let options = try SimulatorOptions(Array(CommandLine.arguments.dropFirst()))
            switch options.mode {
            case .stories(let seeds, let limit): exit(try Supervisor().run(seeds, within: limit) ? 0 : 1)
            case .worker(let seeds, let step, let limit): try work(seeds, step, within: limit)
            case .story(let story, let isVerbose): exit(try tell(story, isVerbose) ? 0 : 1)
            }
        } catch {
            print("simulate: \(error)")
            exit(2)
        }
    }

    /// Lets a daemon live through every so manieth story, and tells which one it is at, and what is wrong.
    private static func work(_ seeds: ClosedRange<UInt64>, _ step: Int, within limit: Duration?) throws {
        let simulation = try Simulation()
        let start = ContinuousClock.now
        var (count, fingerprint) = (0, UInt64(0))
        for seed in stride(from: seeds.lowerBound, through: seeds.upperBound, by: step) {
            if let limit, count % 64 == 0, ContinuousClock.now - start >= limit { break }
            var number = seed
            // The supervisor reads it if this process does not come to its end.
            pwrite(3, &number, 8, 0)
            let result = try simulation.run(Story(seed: seed))
            if let fault = result.fault {
                print("story \(seed): \(fault)")
                exit(1)
            }
            count += 1
            fingerprint ^= result.fingerprint
        }
        print("\(count) \(fingerprint)")
    }

    /// Lets a daemon live through one story; false if something is wrong.
    private static func tell(_ story: Story, _ isVerbose: Bool) throws -> Bool {
        let fault = try Simulation().run(story, isVerbose: isVerbose).fault
        print(fault ?? "nothing is wrong")
        return fault == nil
    }
}

/// What the simulator is asked to do.
struct SimulatorOptions {
    enum Mode {
        /// These stories, for a while at most.
        case stories(ClosedRange<UInt64>, Duration?)
        /// The same, in this process, and every so manieth.
        case worker(ClosedRange<UInt64>, step: Int, Duration?)
        /// One story.
        case story(Story, isVerbose: Bool)
    }

    let mode: Mode

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        let isVerbose = rest.last == "--trace"
        if isVerbose { rest.removeLast() }
        func number(_ text: Substring?) throws -> UInt64 {
            guard let text, let number = UInt64(text) else { throw TestFailure("expected numbers: simulate 1-10000") }
            return number
        }
        func range(_ text: String?) throws -> ClosedRange<UInt64> {
            let ends = (text ?? "").split(separator: "-")
            let first = try number(ends.first)
            return first...max(first, try number(ends.last))
        }
        switch rest.popFirst() {
        case "--seconds":
            let seconds = try number(rest.popFirst().map { $0[...] })
            let first = UInt64(time(nil)) * 1_000_000
            mode = .stories(first...(.max / 2), .seconds(Int64(seconds)))
        case "--worker":
            let (seeds, step) = (try range(rest.popFirst()), Int(try number(rest.popFirst().map { $0[...] })))
            let seconds = try rest.popFirst().map { try number($0[...]) }
            mode = .worker(seeds, step: step, seconds.map { .seconds(Int64($0)) })
        case "--events":
            var story = Story(seed: try number(rest.popFirst().map { $0[...] }))
            let kept = try (rest.popFirst() ?? "").split(separator: ",").map { Int(try number($0)) }
            story.events = story.events.indices.filter { kept.contains($0) }.map { story.events[$0] }
            mode = .story(story, isVerbose: isVerbose)
        case let seeds:
            let seeds = try range(seeds)
            if isVerbose {
                mode = .story(Story(seed: seeds.lowerBound), isVerbose: true)
            } else {
                mode = .stories(seeds, nil)
            }
        }
    }
}
