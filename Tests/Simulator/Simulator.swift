import ArgumentParser
import Glibc
import XCallbackTesting

@main
struct Simulator: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Runs the real daemon in a simulated kernel, and checks what clients get from it.",
        discussion: """
            A scenario is a list of events that follows from its number, so it is the same each time. Scenarios run in \
            processes of their own, one for each processor. From the first one in which something is wrong, events are \
            removed for as long as something is wrong, and the rest is printed with the commands that repeat it. An \
            event that is removed changes what happens at random afterwards, so what is left may show another fault.

            The fingerprint of a run is the same if all that has happened is the same, to which the length of the path \
            in TMPDIR belongs.

            Examples: simulate 1-1000; simulate 1-1000 --inject loses-answers; simulate 17 --trace

            Exit status: 0 if nothing is wrong, 1 if something is, 2 if the scenarios cannot be run, 64 if the \
            arguments are wrong.
            """)

    /// What a scenario is the same each time with: sets and dictionaries that have an order.
    static let environment = "SWIFT_DETERMINISTIC_HASHING=1"

    @Argument(help: ArgumentHelp("The numbers of the scenarios.", valueName: "17 or 1-10000"))
    var scenarios: ScenarioRange?

    @Option(help: "Instead of numbers: run new scenarios for so many seconds.")
    var seconds: Int?

    @Flag(help: "Print all that happens in the scenario.")
    var trace = false

    @Option(help: ArgumentHelp("Let only these events of the scenario happen, counted from 0.", valueName: "0,3,4"))
    var events: EventList?

    @Option(name: .customLong("inject"), help: "Give the kernel a fault that the checks must find.")
    var injected: World.InjectedFault?

    /// The share of the scenarios that a worker runs, and its folder; set by the supervisor.
    @Option(help: .hidden)
    var step: UInt64?
    @Option(help: .hidden)
    var directory: String?

    func validate() throws {
        if step != nil && directory == nil || step == 0 {
            throw ValidationError("--step and --directory are for the processes that this program starts")
        }
        if (scenarios == nil) == (seconds == nil), step == nil {
            throw ValidationError("expected the numbers of scenarios, as in 'simulate 1-10000', or --seconds")
        }
        if let seconds, seconds < 1 { throw ValidationError("--seconds: expected a number from 1") }
        if trace || events != nil, scenarios?.only == nil {
            throw ValidationError("--trace and --events are for one scenario: simulate 17 --trace")
        }
        if let events, let scenario = scenarios?.only {
            let count = Scenario(seed: scenario).events.count
            if let number = events.numbers.first(where: { !(0..<count).contains($0) }) {
                throw ValidationError("scenario \(scenario) has no event \(number): it has \(count), counted from 0")
            }
        }
    }

    func run() throws {
        // A closed pipe of standard output must not keep the folder from being removed.
        signal(SIGPIPE, SIG_IGN)
        do {
            let isRight =
                if let step, let directory, let scenarios {
                    try work(scenarios.range, step, in: directory)
                } else if let scenario = scenarios?.only, trace || events != nil {
                    try show(Scenario(seed: scenario, only: events?.numbers))
                } else {
                    try Supervisor(injected).run(scenarios?.range ?? Self.newScenarios, for: seconds)
                }
            if !isRight { throw ExitCode(1) }
        } catch let code as ExitCode {
            throw code
        } catch {
            let text = "simulate: \(error)\n"
            write(STDERR_FILENO, text, text.utf8.count)
            throw ExitCode(2)
        }
    }

    /// Numbers that were not used before, as they follow from the time.
    private static var newScenarios: ClosedRange<UInt64> { UInt64(time(nil)) * 1_000_000...UInt64(Int64.max) }

    /// Runs every so manieth scenario, and writes which one it is at, and what is wrong.
    private func work(_ scenarios: ClosedRange<UInt64>, _ step: UInt64, in directory: String) throws -> Bool {
        let simulation = Simulation(in: directory, injected: injected)
        let start = ContinuousClock.now
        let supervisor = getppid()
        var (seed, count, fingerprint) = (scenarios.lowerBound, 0, UInt64(0))
        while true {
            if count % 64 == 0 {
                if getppid() != supervisor { throw TestFailure("the process that has started this one is gone") }
                if let seconds, ContinuousClock.now - start >= .seconds(seconds) { break }
            }
            // The supervisor reads it if this process does not come to its end.
            pwrite(3, &seed, 8, 0)
            // A daemon that calls nothing any more ends the process.
            alarm(60)
            let result = try simulation.run(Scenario(seed: seed))
            if let fault = result.fault {
                print(fault)
                return false
            }
            count += 1
            fingerprint ^= result.fingerprint
            if scenarios.upperBound - seed < step { break }
            seed += step
        }
        print("\(count) \(fingerprint)")
        return true
    }

    /// Runs one scenario in this process, for debuggers; returns false if something is wrong.
    private func show(_ scenario: Scenario) throws -> Bool {
        if getenv("SWIFT_DETERMINISTIC_HASHING") == nil { try restart() }
        if let directory { return try show(scenario, in: directory) }
        let own = try TemporaryDirectory()
        return try withExtendedLifetime(own) { try show(scenario, in: Worker.folder(0, in: own)) }
    }

    private func show(_ scenario: Scenario, in directory: String) throws -> Bool {
        if !trace { alarm(60) }
        let fault = try Simulation(in: directory, injected: injected).run(scenario, isVerbose: trace).fault
        print(fault ?? "nothing is wrong")
        return fault == nil
    }

    /// Begins this program again, with an environment in which scenarios are the same each time.
    private func restart() throws {
        putenv(strdup(Self.environment))
        var words = CommandLine.arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", &words)
        throw TestFailure("cannot run /proc/self/exe", code: errno)
    }
}

/// The numbers of scenarios: one, or the first and the last of several.
struct ScenarioRange: ExpressibleByArgument {
    let range: ClosedRange<UInt64>

    /// The number of the only scenario; nil if there are several.
    var only: UInt64? { range.lowerBound == range.upperBound ? range.lowerBound : nil }

    init?(argument: String) {
        let ends = argument.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first <= last else {
            return nil
        }
        range = first...last
    }
}

/// Some events of a scenario, by the order in which they happen.
struct EventList: ExpressibleByArgument {
    let numbers: Set<Int>

    init?(argument: String) {
        let numbers = argument.split(separator: ",").map { Int($0) }
        if numbers.contains(nil) { return nil }
        self.numbers = Set(numbers.compactMap(\.self))
    }
}

extension World.InjectedFault: ExpressibleByArgument {}
