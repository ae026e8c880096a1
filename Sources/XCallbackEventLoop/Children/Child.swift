import Glibc
import Synchronization
import XCallbackLinux

/// A program that the loop runs, and its output so far.
///
/// A state machine: a queue of its own starts the program, and the pidfd reports its end. A caller that is gone, output over
/// the limit and the end of the loop let it end. Progress belongs to `running`, and a cancel is one more reason for `ending`.
/// What a program leaves behind that ends by itself lives on.
final class Child {
    /// What the loop does with a program.
    enum State {
        /// The queue has not started it yet.
        case starting
        /// It runs.
        case running
        /// It gets SIGTERM, if need be once it has started, and then SIGKILL.
        case ending
        /// It is reaped, and its caller has the result; processes that it has started are left.
        case left
        /// Nothing is left of it, or it was never started, and its caller has the result.
        case ended

        /// The states that can follow; debug builds check each change.
        ///
        /// `Docs/Internals/Architecture.md` has a diagram with the reasons.
        var next: [State] {
            switch self {
            case .starting: [.running, .ending, .ended]
            case .running: [.ending, .left, .ended]
            case .ending, .left: [.ended]
            case .ended: []
            }
        }
    }

    /// A descriptor of a child in the epoll set.
    enum Part: UInt64 {
        case handle, output, errors
    }

    let id: ChildID
    var state = State.starting {
        didSet { assert(oldValue.next.contains(state), "\(oldValue) does not lead to \(state)") }
    }
    /// The process, once the queue has started it, until it is reaped.
    var process: SpawnedProcess?
    /// The group of what is left of it.
    var group: pid_t = 0
    let isDetached: Bool
    /// The program's standard input, until it has started.
    private var input: Descriptor?
    var output: ChildOutput
    /// The program's side of its standard streams; -1 where a stream is discarded.
    let streams: (input: Int32, output: Int32, errors: Int32)
    /// The scope of the service manager that the process moves to (``ChildCommand/scope``), or that has what is left of it.
    var scope: String?
    /// Whether the process, or what is left of it, is in its scope.
    var isInScope = false
    /// Whether it has taken long to reach its scope.
    var isLate = false
    /// The scope to which what is left of it moves, until it does (``ChildCommand/scopeOfLeft``).
    var scopeOfLeft: String?
    /// What it is called where something is left of it.
    let title: String
    /// The account toward which what is left of it counts.
    var account: Account?
    /// Called with what is written to standard error once no caller waits for it.
    private let report: (@Sendable (ArraySlice<UInt8>) -> Void)?
    /// Called with the newest line of standard error, while the program runs.
    private let progress: (@Sendable ([UInt8]) -> Void)?
    private var newestLine = NewestLine()
    /// Whether no caller waits for what is written to standard error.
    private var isReported = false
    /// The end of the watch over a detached program or one that needs a scope, of the time after SIGTERM, or of a pause before
    /// it is looked for what is left.
    var deadline: Deadlines.ID?
    /// The caller, until it has the result.
    var caller: CheckedContinuation<ChildResult, any Error>?
    /// Called once, when it runs and is in its scope, and has run for a while if it is detached.
    var started: (@Sendable () -> Void)?
    /// Whether the queue starts it, or never will.
    private let isStartTaken = Atomic(false)

    /// Creates a child with the streams that its command needs.
    init(_ id: ChildID, _ command: ChildCommand) throws(SystemError) {
        let input = try Descriptor(inMemory: command.input)
        output = try ChildOutput(command)
        streams = (input.number, output.pipe.numbers.writing, output.errorPipe.numbers.writing)
        self.input = consume input
        self.id = id
        scope = command.scope
        scopeOfLeft = command.scopeOfLeft
        title = command.title
        report = command.report
        progress = command.progress
        isDetached = command.isDetached
    }

    /// Whether nothing is left of the ended program: it holds no pipe, and its group is empty or in a scope.
    var isGone: Bool { !output.isOpen && (isInScope || !SpawnedProcess.isGroup(group)) }

    /// Whether it needs a scope that it has not reached; also known of a process that is not reaped yet.
    var isOutsideScope: Bool {
        guard scope != nil, !isInScope, let process else { return false }
        let group = ProcessState.controlGroup(of: "\(process.id)")
        isInScope = group != nil && group != ProcessState.controlGroup(of: "self")
        return !isInScope
    }

    /// Decides, on any thread, who comes first: the queue that starts the program, or the loop that gives it up.
    func takeStart() -> Bool { !isStartTaken.exchange(true, ordering: .relaxed) }

    /// Closes the program's side of its standard streams.
    func closeProgramSide() {
        input = nil
        output.pipe.writing = nil
        output.errorPipe.writing = nil
    }

    /// Keeps a piece of standard error for the caller, or reports it.
    func take(errors: ArraySlice<UInt8>) {
        if isReported { report?(errors) } else { output.keepErrors(errors) }
        if let progress, [.starting, .running].contains(state), let line = newestLine.take(errors) { progress(line) }
    }

    /// Reports standard error from now on, because no caller waits for it.
    func reportErrors() {
        isReported = true
        let errors = output.takeErrors()
        if !errors.isEmpty { report?(errors[...]) }
    }

    /// Returns the result of the child for a given ending.
    func result(_ ending: SpawnedProcess.Ending) -> ChildResult {
        var result = ChildResult(
            ending: ending, output: output.bytes, exceededOutput: output.exceedsLimit,
            errors: output.takeErrors())
        if isInScope { result.unit = scope }
        return result
    }
}

/// The output of a program: the pipes, and what was read from them.
struct ChildOutput: ~Copyable {
    /// The maximum number of trailing bytes of standard error that are kept.
    static let errorLimit = 16_384

    /// The pipes of standard output and standard error; their read ends are closed when they end.
    var pipe: Pipe
    var errorPipe: Pipe
    private(set) var bytes: [UInt8] = []
    private var errorBytes: [UInt8] = []
    private(set) var exceedsLimit = false
    private let limit: Int

    init(_ command: ChildCommand) throws(SystemError) {
        let pipe = try Pipe(isNeeded: command.output != .discarded && !command.isDetached)
        let errorPipe = try Pipe()
        self.pipe = pipe
        self.errorPipe = errorPipe
        limit = if case .kept(let limit) = command.output { limit } else { 0 }
    }

    /// Whether a program holds a pipe.
    var isOpen: Bool { pipe.numbers.reading >= 0 || errorPipe.numbers.reading >= 0 }

    /// Returns what was kept of standard error, and keeps it no longer.
    mutating func takeErrors() -> [UInt8] {
        defer { errorBytes = [] }
        return Array(errorBytes.suffix(Self.errorLimit))
    }

    /// Keeps a piece of standard output; returns false if the limit is exceeded.
    mutating func keep(_ more: ArraySlice<UInt8>) -> Bool {
        guard more.count <= limit - bytes.count else {
            exceedsLimit = true
            return false
        }
        bytes.append(contentsOf: more)
        return true
    }

    /// Keeps the last bytes of standard error.
    mutating func keepErrors(_ more: ArraySlice<UInt8>) {
        errorBytes.append(contentsOf: more.suffix(Self.errorLimit))
        // Trimmed rarely, so that each byte is moved only a few times.
        if errorBytes.count > 2 * Self.errorLimit { errorBytes.removeFirst(errorBytes.count - Self.errorLimit) }
    }
}

/// The newest complete line of a text that arrives in pieces; a carriage return ends a line, too.
package struct NewestLine {
    /// The maximum number of bytes of a line; the rest is cut.
    package static let limit = 512

    /// The beginning of the line that is not complete.
    private var rest: [UInt8] = []

    package init() {}

    /// Takes a piece of the text; returns the newest line that it completes, if it is neither empty nor an object: that is an
    /// error for the answer.
    package mutating func take(_ piece: ArraySlice<UInt8>) -> [UInt8]? {
        func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
        guard let end = piece.lastIndex(where: isEnd) else {
            rest += piece.prefix(Self.limit - rest.count)
            return nil
        }
        var line = rest
        if let last = piece[..<end].lastIndex(where: { !isEnd($0) }) {
            let start = piece[...last].lastIndex(where: isEnd)
            if start != nil { line = [] }
            line += piece[(start.map { $0 + 1 } ?? piece.startIndex)...last].prefix(Self.limit - line.count)
        }
        rest = Array(piece[(end + 1)...].prefix(Self.limit))
        line.trimPrefix { $0 == UInt8(ascii: " ") }
        return line.isEmpty || line[0] == UInt8(ascii: "{") ? nil : line
    }
}

/// An epoll event of a child: the child, and the part of it.
struct ChildEvent {
    let id: ChildID
    let part: Child.Part

    /// The generations of connections stay below it, and the numbers of other members are above it.
    private static let mark: UInt64 = 1 << 63
}

extension ChildEvent {
    /// Decodes the number of an epoll event; nil if it does not belong to a child.
    init?(rawValue: UInt64) {
        guard rawValue >= Self.mark, let part = Child.Part(rawValue: rawValue & 3) else { return nil }
        self.init(id: ChildID(number: (rawValue & ~Self.mark) >> 2), part: part)
    }

    var rawValue: UInt64 { Self.mark | id.number << 2 | part.rawValue }
}
