import Glibc
import XCallbackTesting

/// Runs stories in processes of their own, one for each processor, and looks into the first one that goes wrong.
struct Supervisor {
    /// What a worker runs with: where sets and dictionaries have the same order each time, so does the story.
    fileprivate static let environment =
        ["SWIFT_DETERMINISTIC_HASHING=1"]
        + (getenv(World.Sabotage.variable).map { ["\(World.Sabotage.variable)=\(String(cString: $0))"] } ?? [])

    private let directory: TemporaryDirectory
    private let program: String

    init() throws {
        directory = try TemporaryDirectory()
        program = try RunningDaemon.ownProgram()
    }

    /// Runs stories.
    ///
    /// - Parameters:
    ///   - seeds: Their numbers.
    ///   - limit: For how long at most.
    /// - Returns: Whether nothing is wrong in any of them.
    /// - Throws: ``TestFailure`` if they cannot be run.
    func run(_ seeds: ClosedRange<UInt64>, within limit: Duration?) throws -> Bool {
        let start = ContinuousClock.now
        let count = max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
        let workers = try (0..<count).map { try Worker($0, of: count, seeds, within: limit, in: directory, program) }
        var (storyCount, fingerprint) = (0, UInt64(0))
        var faults: [(seed: UInt64, text: String)] = []
        for worker in workers {
            switch try worker.wait() {
            case .finished(let count, let part):
                storyCount += count
                fingerprint ^= part
            case .failed(let seed, let text): faults.append((seed, text))
            }
        }
        guard let first = faults.min(by: { $0.seed < $1.seed }) else {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            let rate = Int(Double(storyCount) / seconds)
            print("\(storyCount) stories, \(rate) a second: nothing is wrong (\(String(fingerprint, radix: 16)))")
            return true
        }
        try report(first.seed, first.text)
        return false
    }

    /// Tells what is wrong in a story, and how little of it is needed.
    private func report(_ seed: UInt64, _ text: String) throws {
        print("story \(seed): \(text)")
        let story = Story(seed: seed)
        let kept = try shorten(Array(story.events.indices)) { try fault(in: seed, $0) != nil }
        let last = try fault(in: seed, kept) ?? text
        print("What is needed of it:")
        for index in kept { print("  \(story.events[index])") }
        print("Then: \(last)")
        print("All that happens: simulate --events \(seed) \(kept.map(String.init).joined(separator: ",")) --trace")
        print("The whole story:  simulate \(seed) --trace")
    }

    /// The events without those that are not needed for something to go wrong.
    private func shorten(_ events: [Int], isWrong: ([Int]) throws -> Bool) rethrows -> [Int] {
        var events = events
        var size = max(events.count / 2, 1)
        while true {
            var start = 0
            while start < events.count {
                let fewer = Array(events[..<start] + events[min(start + size, events.count)...])
                if try isWrong(fewer) { events = fewer } else { start += size }
            }
            if size == 1 { return events }
            size /= 2
        }
    }

    /// What is wrong in a story with some of its events; nil if nothing is.
    private func fault(in seed: UInt64, _ events: [Int]) throws -> String? {
        let output = directory.path(of: "output")
        unlink(output)
        let list = events.map(String.init).joined(separator: ",")
        let process = try ChildProcess(
            [program, "--events", "\(seed)", list], environment: Self.environment, output: output, error: "/dev/null")
        let status = try process.wait(within: .seconds(60))
        if status == 0 { return nil }
        let text = try textOfFile(output).split(separator: "\n").last.map(String.init) ?? ""
        return status == 1 ? text : "the daemon ends with status \(status)"
    }
}

/// A process in which every so manieth story runs.
private struct Worker {
    enum Outcome {
        case finished(count: Int, fingerprint: UInt64)
        case failed(seed: UInt64, String)
    }

    private let process: ChildProcess
    private let output: String
    private let progress: Int32

    init(
        _ number: Int, of count: Int, _ seeds: ClosedRange<UInt64>, within limit: Duration?,
        in directory: TemporaryDirectory, _ program: String
    ) throws {
        output = directory.path(of: "output-\(number)")
        progress = open(directory.path(of: "progress-\(number)"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        let first = min(seeds.lowerBound + UInt64(number), seeds.upperBound)
        let step = first == seeds.lowerBound + UInt64(number) ? count : Int.max / 2
        process = try ChildProcess(
            [program, "--worker", "\(first)-\(seeds.upperBound)", "\(step)"]
                + (limit.map { ["\($0.components.seconds)"] } ?? []),
            environment: Supervisor.environment, output: output, error: "/dev/null", passing: progress)
    }

    func wait() throws -> Outcome {
        let status = try process.wait(within: .seconds(1_000_000))
        defer { close(progress) }
        let lines = try textOfFile(output).split(separator: "\n")
        let words = lines.last?.split(separator: " ") ?? []
        if status == 0, words.count == 2, let count = Int(words[0]), let fingerprint = UInt64(words[1]) {
            return .finished(count: count, fingerprint: fingerprint)
        }
        var seed: UInt64 = 0
        pread(progress, &seed, 8, 0)
        if status == 1, let line = lines.last {
            return .failed(seed: seed, String(line.drop { $0 != ":" }.dropFirst(2)))
        }
        return .failed(seed: seed, "the daemon ends with status \(status)")
    }
}
