import XCallbackLinux

/// A running program and its output so far.
final class Child {
    /// A descriptor of a child in the epoll set.
    enum Part: UInt64 {
        case handle, output, errors
    }

    let id: ChildID
    /// The process; nil until the loop has started it.
    var process: SpawnedProcess?
    /// The program's side of its standard streams, until the program has started.
    var programSide: ProgramSide?
    /// The scope of the service manager that the process moves to (``ChildCommand/scope``).
    let scope: String?
    /// Whether the process is in its scope.
    var isInScope = false
    let isDetached: Bool
    var output: ChildOutput
    /// The deadline after which it is killed after SIGTERM.
    var deadline: Deadlines.ID?
    /// The caller that waits for its end.
    var waiting: CheckedContinuation<ChildResult, any Error>?
    /// Called when it has ended, if no caller waits.
    var ended: (@Sendable (isolated EventLoop) -> Void)?
    /// The caller that waits for its start.
    var starting: CheckedContinuation<Void, any Error>?
    /// Claimed by the spawner when it starts the program, or before by the code that gives it up.
    let chance = SpawnChance()
    /// Whether it was cancelled while the spawner started it.
    var isCancelled = false

    /// Creates a child with the streams that its command needs.
    init(_ id: ChildID, _ command: ChildCommand) throws(SystemError) {
        let input = try Descriptor(inMemory: command.input)
        var output = try Pipe(isNeeded: command.output != .discarded && !command.isDetached)
        var errors = try Pipe(isNeeded: !command.isDetached)
        self.id = id
        scope = command.scope
        isDetached = command.isDetached
        programSide = ProgramSide(input, output.writing.take(), errors.writing.take())
        self.output = ChildOutput(output.reading.take(), errors.reading.take(), command.output)
    }

    /// Returns the result of the child for a given ending.
    func result(_ ending: SpawnedProcess.Ending) -> ChildResult {
        var result = ChildResult(
            ending: ending, output: output.bytes, exceededOutput: output.exceedsLimit,
            errors: Array(output.errorBytes.suffix(ChildOutput.errorLimit)))
        if isInScope { result.unit = scope }
        return result
    }
}

/// The output of a program: the pipes, and what was read from them.
struct ChildOutput: ~Copyable {
    /// The maximum number of trailing bytes of standard error that are kept.
    static let errorLimit = 16_384

    /// The read ends of standard output and standard error, until they end.
    var pipe: Descriptor?
    var errorPipe: Descriptor?
    private(set) var bytes: [UInt8] = []
    private(set) var errorBytes: [UInt8] = []
    private(set) var exceedsLimit = false
    private let limit: Int

    init(_ pipe: consuming Descriptor?, _ errorPipe: consuming Descriptor?, _ output: ChildCommand.Output) {
        self.pipe = pipe
        self.errorPipe = errorPipe
        limit = if case .kept(let limit) = output { limit } else { 0 }
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

/// The program's side of its standard streams; nil where a stream is discarded.
struct ProgramSide: ~Copyable {
    private let input: Descriptor
    private let output, errors: Descriptor?
    /// The numbers of the descriptors; -1 where a stream is discarded.
    let numbers: (input: Int32, output: Int32, errors: Int32)

    init(_ input: consuming Descriptor, _ output: consuming Descriptor?, _ errors: consuming Descriptor?) {
        numbers = (input.number, output?.number ?? -1, errors?.number ?? -1)
        self.input = input
        self.output = output
        self.errors = errors
    }
}

/// An epoll event of a child: the child, and the part of it.
struct ChildEvent {
    let id: ChildID
    let part: Child.Part

    /// The generations of connections stay below it, and the numbers of other members are above it.
    private static let mark: UInt64 = 1 << 63

    init(_ id: ChildID, _ part: Child.Part) {
        self.id = id
        self.part = part
    }

    /// Decodes the number of an epoll event; nil if it does not belong to a child.
    init?(rawValue: UInt64) {
        guard rawValue >= Self.mark, let part = Child.Part(rawValue: rawValue & 3) else { return nil }
        self.init(ChildID(number: (rawValue & ~Self.mark) >> 2), part)
    }

    var rawValue: UInt64 { Self.mark | id.number << 2 | part.rawValue }
}
