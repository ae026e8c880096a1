import CLinux
import XCallbackLinux

/// A program that runs, and what has come of it so far.
final class Child {
    /// How many of the last bytes of standard error are kept.
    static let errorLimit = 16_384

    /// Something of a child that the loop watches.
    enum Part: UInt64 {
        case handle, output, errors
    }

    let id: ChildID
    /// The process; nil until the loop has started it, and if something else runs it.
    var process: SpawnedChild?
    /// The program's side of its standard streams, until it was started.
    var programSide: StreamPair?
    /// What runs it, if the loop does not.
    let host: (any ProgramHost)?
    let isDetached: Bool
    /// Standard output and standard error, until they end.
    var output: Descriptor?
    var errors: Descriptor?
    /// What was read of them.
    private(set) var outputBytes: [UInt8] = []
    private(set) var errorBytes: [UInt8] = []
    private(set) var exceedsOutput = false
    /// When it is given up if it was not started, or killed after it was asked to end.
    var deadline: DeadlineHeap<EventLoop.Deadline>.ID?
    /// Who waits for its end.
    var waiting: CheckedContinuation<ChildResult, any Error>?
    /// Called when it has ended, if nobody waits for that.
    var ended: (@Sendable (isolated EventLoop) -> Void)?
    /// Who waits for its start.
    var starting: CheckedContinuation<Void, any Error>?
    /// Taken by the spawner when it starts the program, or before that by who gives it up.
    let chance = SpawnChance()
    /// Whether it is to end, though it is just being started, or what runs it was asked to end it.
    var isToEnd = false
    /// Whether nobody looks after it any more: it is killed if it is still started.
    var isAbandoned = false
    /// What it is counted with.
    var quota: ChildQuota?

    private let outputLimit: Int

    init(
        _ id: ChildID, under host: (any ProgramHost)?, _ streams: inout StreamPair, _ command: ChildCommand
    ) {
        self.id = id
        self.host = host
        isDetached = command.isDetached
        outputLimit = if case .kept(let limit) = command.output { limit } else { 0 }
        output = streams.takeOutput()
        errors = streams.takeErrors()
    }

    /// Keeps a piece of standard output; false if it is more than is wanted.
    func keepOutput(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count <= outputLimit - outputBytes.count else {
            exceedsOutput = true
            return false
        }
        outputBytes.append(contentsOf: bytes)
        return true
    }

    /// Keeps the last bytes of standard error.
    func keepErrors(_ bytes: ArraySlice<UInt8>) {
        errorBytes.append(contentsOf: bytes.suffix(Self.errorLimit))
        // Now and then, so that each byte is moved a few times at most.
        if errorBytes.count > 2 * Self.errorLimit { errorBytes.removeFirst(errorBytes.count - Self.errorLimit) }
    }

    /// Sends a signal to the process and all of its group.
    func send(signal: Int32) {
        guard let processID = process?.processID else { return }
        // The process may have left its group; nobody is in that then.
        if xcb_kill(-processID, signal) < 0 { _ = xcb_kill(processID, signal) }
    }

    /// What there is to say of the child once it has ended in some way.
    func result(_ ending: ChildResult.Ending) -> ChildResult {
        ChildResult(
            ending: ending, output: outputBytes, exceededOutput: exceedsOutput,
            errors: Array(errorBytes.suffix(Self.errorLimit)))
    }
}

/// What an event of the epoll set says of a child: which one, and what of it.
struct ChildEvent {
    let id: ChildID
    let part: Child.Part

    /// Generations of connections do not come near it, and the numbers of other members lie above.
    private static let mark: UInt64 = 1 << 63

    init(_ id: ChildID, _ part: Child.Part) {
        self.id = id
        self.part = part
    }

    /// The event under a number of the set; nil if it is not one of a child.
    init?(rawValue: UInt64) {
        guard rawValue >= Self.mark, let part = Child.Part(rawValue: rawValue & 3) else { return nil }
        self.init(ChildID(number: (rawValue & ~Self.mark) >> 2), part)
    }

    var rawValue: UInt64 { Self.mark | id.number << 2 | part.rawValue }
}
