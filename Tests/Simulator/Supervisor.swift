import Glibc
import XCallbackTesting

/// Runs scenarios in processes of their own, one for each processor, and looks into the first one that goes wrong.
struct Supervisor {
    private let directory: TemporaryDirectory
    private let program: String
    private let injected: World.InjectedFault?

    init(_ injected: World.InjectedFault?) throws {
        directory = try TemporaryDirectory()
        program = try RunningDaemon.ownProgram()
        self.injected = injected
    }

    /// Runs scenarios.
    ///
    /// - Parameters:
    ///   - scenarios: Their numbers.
    ///   - seconds: For how long at most.
    /// - Returns: Whether nothing is wrong in any of them.
    /// - Throws: ``TestFailure`` if they cannot be run.
    func run(_ scenarios: ClosedRange<UInt64>, for seconds: Int?) throws -> Bool {
        let start = ContinuousClock.now
        let processorCount = UInt64(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1))
        let count = min(processorCount - 1, scenarios.upperBound - scenarios.lowerBound) + 1
        var workers = try (0..<count).map { number in
            try Worker(
                words(
                    ["\(scenarios.lowerBound + number)-\(scenarios.upperBound)", "--step", "\(count)"]
                        + (seconds.map { ["--seconds", "\($0)"] } ?? [])), number, in: directory)
        }
        var (scenarioCount, fingerprint) = (0, UInt64(0))
        while !workers.isEmpty {
            // The first one that ends with a fault ends the others.
            var members = workers.map { pollfd(fd: $0.process.descriptor, events: Int16(POLLIN), revents: 0) }
            _ = try TestFailure.check("poll", poll(&members, nfds_t(members.count), -1))
            guard let index = members.firstIndex(where: { $0.revents != 0 }) else { continue }
            let worker = workers.remove(at: index)
            switch try worker.outcome() {
            case .finished(let count, let part):
                scenarioCount += count
                fingerprint ^= part
            case .failed(let seed, let fault):
                workers = []
                try report(seed, fault)
                return false
            }
        }
        let rate = Int(Double(scenarioCount) / ((ContinuousClock.now - start) / .seconds(1)))
        let mark = String(fingerprint, radix: 16)
        print("\(scenarioCount) scenarios, \(rate) a second: nothing is wrong (fingerprint \(mark))")
        return true
    }

    /// Reports what is wrong in a scenario, and the events that are needed for it.
    private func report(_ seed: UInt64, _ fault: String) throws {
        print("scenario \(seed): \(fault)")
        fflush(nil)
        let scenario = Scenario(seed: seed)
        let all = Array(scenario.events.indices)
        let whole = "The whole scenario:  \(command(seed, nil))"
        guard try self.fault(in: seed, all) != nil else {
            print("It does not happen when the scenario runs alone: something of the scenarios before it plays a part.")
            return print(whole)
        }
        let kept = try shorten(all) { try self.fault(in: seed, $0) != nil }
        print("What is needed of it:")
        for index in kept { print("  \(scenario.events[index])") }
        print("With these events alone: \(try self.fault(in: seed, kept) ?? "something else each time")")
        print("All that happens: \(command(seed, kept))")
        print(whole)
    }

    /// The command that shows what happens in a scenario.
    private func command(_ seed: UInt64, _ events: [Int]?) -> String {
        let injected = injected.map { ["--inject", $0.rawValue] } ?? []
        let events = events.map { ["--events", list($0)] } ?? []
        let program = "'\(CommandLine.arguments[0].replacing("'", with: "'\\''"))'"
        return ([program, "\(seed)"] + events + injected + ["--trace"]).joined(separator: " ")
    }

    private func words(_ arguments: [String]) -> [String] {
        [program] + arguments + (injected.map { ["--inject", $0.rawValue] } ?? [])
    }

    private func list(_ events: [Int]) -> String {
        events.isEmpty ? "," : events.map(String.init).joined(separator: ",")
    }

    /// The events without those that are not needed for something to go wrong.
    private func shorten(_ events: [Int], isWrong: ([Int]) throws -> Bool) rethrows -> [Int] {
        var events = events
        var size = max(events.count / 2, 1)
        while true {
            let count = events.count
            var start = 0
            while start < events.count {
                let fewer = Array(events[..<start] + events[min(start + size, events.count)...])
                if try isWrong(fewer) { events = fewer } else { start += size }
            }
            // One that is not needed may have been needed by one that has gone since.
            if size == 1, events.count == count { return events }
            size = max(size / 2, 1)
        }
    }

    /// What is wrong in a scenario with some of its events; nil if nothing is.
    private func fault(in seed: UInt64, _ events: [Int]) throws -> String? {
        try Worker(words(["\(seed)", "--events", list(events)]), 0, in: directory).fault()
    }
}

/// A process in which scenarios run.
struct Worker {
    enum Outcome {
        case finished(count: Int, fingerprint: UInt64)
        case failed(seed: UInt64, String)
    }

    let process: ChildProcess
    /// What it has written to standard output and standard error.
    private let output: String
    private let errors: String
    /// The file in which it notes the number of the scenario that it is at.
    private let progress: String

    init(_ words: [String], _ number: UInt64, in directory: TemporaryDirectory) throws {
        let folder = try Self.folder(number, in: directory)
        (output, errors, progress) = ("\(folder)/output", "\(folder)/errors", "\(folder)/progress")
        let file = try TestFailure.check("open", open(progress, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
        defer { close(file) }
        process = try ChildProcess(
            words + ["--directory", folder], environment: [Simulator.environment, "SWIFT_BACKTRACE=enable=no"],
            output: output, error: errors, passing: file)
    }

    /// Makes the folder of a worker, or makes it empty.
    ///
    /// The daemon says its paths, whose length is a part of what happens: it is the same in each process.
    static func folder(_ number: UInt64, in directory: TemporaryDirectory) throws -> String {
        let folder = directory.path(of: "worker-\(1000 + number)")
        removeDirectory(folder)
        _ = try TestFailure.check("mkdir \(folder)", mkdir(folder, 0o700))
        return folder
    }

    /// The outcome of its scenarios, once it has ended.
    func outcome() throws -> Outcome {
        if let fault = try fault() {
            let bytes = try bytesOfFile(progress)
            guard bytes.count == 8 else { throw TestFailure("a worker notes no scenario; is there room in /tmp?") }
            return .failed(seed: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }, fault)
        }
        let words = try textOfFile(output).split { $0 == " " || $0 == "\n" }
        guard words.count == 2, let count = Int(words[0]), let fingerprint = UInt64(words[1]) else {
            throw TestFailure("a worker has left no result; is there room in /tmp?")
        }
        return .finished(count: count, fingerprint: fingerprint)
    }

    /// What is wrong; nil if nothing is.
    func fault() throws -> String? {
        let status = try process.wait(within: .seconds(120))
        switch status {
        case 0: return nil
        case 1:
            guard let fault = try textOfFile(output).split(separator: "\n").last else { fallthrough }
            return String(fault)
        case 128 + SIGALRM: return "the daemon does not come to the end of the scenario within a minute"
        case 128...:
            let message = try textOfFile(errors).split(separator: "\n").first { $0.contains("rror") }
            return "the daemon crashes: \(message ?? "signal \(status - 128)")"
        default: throw TestFailure("a worker ends with status \(status): \(try textOfFile(errors))")
        }
    }
}
