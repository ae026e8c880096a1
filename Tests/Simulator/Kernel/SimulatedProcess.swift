import Glibc

/// A program that the daemon has started.
final class SimulatedProcess {
    /// What a program does.
    enum Behavior: CaseIterable {
        /// Writes what it was given, and ends.
        case answers
        /// Says that it does not want to.
        case cancels
        /// Fails.
        case fails
        /// Says three times how far it is, and then ends, or goes on without an end.
        case reports, works
        /// Answers, and leaves a process that keeps its pipes open, writes to them, and then ends.
        case leaves
        /// Writes without an end.
        case floods
        /// Never ends by itself.
        case hangs
        /// Nor when it is asked to.
        case resists
    }

    let id: pid_t
    /// Whether nobody waits for its end.
    let isDetached: Bool
    private let behavior: Behavior
    /// What it was given.
    private let input: [UInt8]
    private var output: SimulatedPipe?
    /// How often it has said how far it is.
    private var reportCount = 0
    private(set) var errors: SimulatedPipe?
    /// How it has ended: what `waitid` tells.
    private(set) var ending: (code: Int32, status: Int32)?
    /// Whether the daemon has taken its status.
    private(set) var isReaped = false
    /// Whether the daemon has sent a signal.
    private(set) var isSignaled = false
    /// Whether the process that is left has written something.
    private var hasWrittenMore = false

    var hasEnded: Bool { ending != nil }
    /// Whether a process that it has started is left in its group.
    var hasLeft: Bool { hasEnded && errors != nil }

    init(
        _ id: pid_t, _ behavior: Behavior, isDetached: Bool, input: [UInt8], output: SimulatedPipe?,
        errors: SimulatedPipe?
    ) {
        self.id = id
        self.behavior = behavior
        self.isDetached = isDetached
        self.input = input
        self.output = output
        self.errors = errors
        output?.writerCount += 1
        errors?.writerCount += 1
    }

    /// Whether it can go on by itself.
    var canProceed: Bool {
        if hasEnded { return hasLeft }
        switch behavior {
        case .answers, .cancels, .fails, .leaves, .reports: return true
        case .works: return reportCount < 3
        // A pipe holds so much.
        case .floods: return output.map { $0.bytes.count < 65_536 } ?? false
        case .hangs, .resists: return false
        }
    }

    /// Goes on; a line that says how far it is goes to a pipe, which is its own.
    func proceed(reportingTo errors: SimulatedPipe?) {
        if hasEnded { return proceedWithRest() }
        switch behavior {
        case .reports where reportCount < 3, .works:
            reportCount += 1
            guard let errors, errors.hasReader else { return }
            errors.bytes += Array("[\(reportCount)/3] ".utf8) + input + (reportCount % 2 == 0 ? [10] : [13])
        case .answers, .reports:
            if let output, output.hasReader { output.bytes += input }
            end(CLD_EXITED, 0)
        case .leaves:
            if let output, output.hasReader { output.bytes += input }
            ending = (Int32(CLD_EXITED), 0)
        case .cancels: end(CLD_EXITED, 130)
        case .fails:
            if let errors, errors.hasReader { errors.bytes += Array("it failed\n".utf8) }
            end(CLD_EXITED, 3)
        case .floods:
            guard let output, output.hasReader else { return end(CLD_KILLED, SIGPIPE) }
            output.bytes += [UInt8](repeating: UInt8(ascii: "x"), count: 30_000)
        case .hangs, .resists: break
        }
    }

    private func proceedWithRest() {
        if hasWrittenMore { return closePipes() }
        // What it writes before belongs to the answer.
        for pipe in [output, errors] where isReaped && pipe?.hasReader == true { pipe?.bytes += Array("more\n".utf8) }
        hasWrittenMore = true
    }

    func receive(signal: Int32) {
        isSignaled = true
        if hasEnded {
            if signal == SIGKILL { closePipes() }
        } else if signal == SIGKILL || behavior != .resists {
            end(CLD_KILLED, signal)
        }
    }

    func reap() { isReaped = true }

    private func end(_ code: Int, _ status: Int32) {
        ending = (Int32(code), status)
        closePipes()
    }

    private func closePipes() {
        output?.writerCount -= 1
        errors?.writerCount -= 1
        output = nil
        errors = nil
    }
}
