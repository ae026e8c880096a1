import CLinux
import Glibc
import XCallbackLinux

// Programs: each is started outside the loop, ends by itself or after a signal, and is reaped.
extension EventLoop {
    /// How long a program may take to end after SIGTERM, before SIGKILL.
    private static let grace = Duration.seconds(2)
    /// How long a program may take to move to its scope.
    private static let scopePatience = Duration.seconds(5)
    /// The maximum number of reads from a pipe after its program has ended: more than any pipe holds.
    private static let leftoverReads = 32

    /// The number of running programs whose end is awaited.
    package var childCount: Int { children.all.values.count { !$0.isDetached } }

    // MARK: - Start

    /// Runs a program until it exits.
    ///
    /// If the task is cancelled, the program and its group get SIGTERM, and SIGKILL if they do not end.
    ///
    /// - Parameters:
    ///   - command: A program that is not detached.
    ///   - quota: The maximum number that run at a time, including this one.
    /// - Returns: How the program ended.
    /// - Throws: ``ChildQuota/Excess`` if too many programs run; ``SystemError`` if the program cannot be started;
    ///   `CancellationError` if it is no longer needed.
    package func run(_ command: ChildCommand, within quota: ChildQuota? = nil) async throws -> ChildResult {
        try takeProgram(within: quota)
        defer { giveProgram(within: quota) }
        return try await begin(command) { child, continuation in child.waiting = continuation }
    }

    /// Starts a detached program outside the loop, and waits until it runs.
    ///
    /// If the task is cancelled before the start, the program is not started.
    ///
    /// - Parameters:
    ///   - command: A detached program.
    ///   - ended: Called on the loop when the program has ended, unless the loop ends before; not called if it cannot
    ///     be started.
    /// - Throws: ``SystemError`` if the program cannot be started; `CancellationError` if it is no longer needed.
    package func start(
        _ command: ChildCommand, ended: @escaping @Sendable (isolated EventLoop) -> Void
    ) async throws {
        try await begin(command) { (child, continuation: CheckedContinuation<Void, any Error>) in
            child.ended = ended
            child.starting = continuation
        }
    }

    /// Counts a program toward a quota, until ``giveProgram(within:)``.
    ///
    /// - Throws: ``ChildQuota/Excess`` if too many run.
    package func takeProgram(within quota: ChildQuota?) throws(ChildQuota.Excess) {
        if let quota { try children.counts.take(quota) }
    }

    /// Counts a program toward a quota no longer.
    package func giveProgram(within quota: ChildQuota?) {
        if let quota { children.counts.give(quota) }
    }

    /// Starts a child outside the loop, and waits for what its caller needs.
    private func begin<Result: Sendable>(
        _ command: ChildCommand, _ prepare: (Child, CheckedContinuation<Result, any Error>) -> Void
    ) async throws -> Result {
        let id = children.takeID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    try Task.checkCancellation()
                    // A loop that ends would leave the program behind.
                    if isEnding { throw CancellationError() }
                    let child = try add(command, id)
                    prepare(child, continuation)
                    spawn(child, command)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            _ = Task.immediate(executorPreference: executor) { await self.terminate(id) }
        }
    }

    /// Creates a child that will be started.
    private func add(_ command: ChildCommand, _ id: ChildID) throws(SystemError) -> Child {
        let child = try Child(id, command)
        if let output = child.output.pipe?.number { try watch(output, .output, of: child) }
        if let errors = child.output.errorPipe?.number { try watch(errors, .errors, of: child) }
        children.all[id] = child
        return child
    }

    private func spawn(_ child: Child, _ command: ChildCommand) {
        guard let streams = child.programSide?.numbers else { return }
        let plan = SpawnPlan(command: command, streams: streams, descriptorLimit: children.descriptorLimit)
        _ = Task.immediate(executorPreference: executor) {
            if let outcome = await children.spawner.start(plan, child.chance) { self.noteSpawn(of: child, outcome) }
        }
    }

    /// Handles the outcome of a start.
    private func noteSpawn(of child: Child, _ outcome: Result<SpawnedProcess, SystemError>) {
        guard children.all[child.id] != nil else {
            // The loop has ended meanwhile.
            if !child.isDetached, case .success(let process) = outcome { discard(process) }
            return
        }
        do throws(SystemError) {
            try take(outcome.get(), as: child)
        } catch {
            return giveUp(child, error)
        }
        if child.scope == nil {
            child.starting.take()?.resume()
        } else {
            awaitScope(of: child.id, until: now + Self.scopePatience)
        }
        if child.isCancelled { terminate(child.id) }
    }

    /// Takes over the process of a started child; on failure no process is left.
    private func take(_ process: SpawnedProcess, as child: Child) throws(SystemError) {
        child.programSide = nil
        do throws(SystemError) {
            try watch(process.handle.number, .handle, of: child)
        } catch {
            discard(process)
            throw error
        }
        child.process = process
    }

    /// Kills a process that was just started and its group, and reaps it.
    private func discard(_ process: SpawnedProcess) {
        process.send(signal: SIGKILL)
        process.reap()
    }

    /// Waits until a child has moved to its scope; kills it if that takes too long.
    private func awaitScope(of id: ChildID, until end: Duration) {
        guard let child = children.all[id], let process = child.process else { return }
        child.isInScope = hasLeftOwnGroup(process.id)
        if child.isInScope { return child.starting.take()?.resume() ?? () }
        if now >= end { return process.send(signal: SIGKILL) }
        _ = call(after: .milliseconds(5)) { [self] in
            assumeIsolated { $0.awaitScope(of: id, until: end) }
        }
    }

    /// Removes a child that does not run.
    private func giveUp(_ child: Child, _ error: any Error) {
        children.all[child.id] = nil
        unwatch(child)
        child.waiting.take()?.resume(throwing: error)
        child.starting.take()?.resume(throwing: error)
    }

    // MARK: - Output

    /// Handles an event of a child.
    func handle(_ event: ChildEvent, _ buffer: inout [UInt8]) {
        guard let child = children.all[event.id] else { return }
        switch event.part {
        case .output: readOutput(of: child, &buffer)
        case .errors: readErrors(of: child, &buffer)
        case .handle:
            readLeftovers(of: child, &buffer)
            children.all[child.id] = nil
            replaceDeadline(&child.deadline, .child(child.id), after: nil)
            unwatch(child)
            let wasStarting = child.starting != nil
            finish(child)
            if !wasStarting || child.isInScope { child.ended?(self) }
            endIfIdle()
        }
    }

    /// Reads the remaining data in the pipes of an ended child, but not to the end: other processes may keep the pipes open.
    private func readLeftovers(of child: Child, _ buffer: inout [UInt8]) {
        for _ in 0..<Self.leftoverReads { if !readOutput(of: child, &buffer) { break } }
        for _ in 0..<Self.leftoverReads { if !readErrors(of: child, &buffer) { break } }
    }

    /// Reads once; returns false if there is no more data for now.
    @discardableResult
    private func readOutput(of child: Child, _ buffer: inout [UInt8]) -> Bool {
        guard let number = child.output.pipe?.number, let count = readOnce(number, &buffer) else { return false }
        let isWanted = count > 0 && child.output.keep(buffer[..<count])
        if isWanted { return true }
        // A program that still writes gets SIGPIPE.
        poller.remove(number)
        child.output.pipe = nil
        if count > 0 { terminate(child.id) }
        return false
    }

    /// Reads once; returns false if there is no more data for now.
    @discardableResult
    private func readErrors(of child: Child, _ buffer: inout [UInt8]) -> Bool {
        guard let number = child.output.errorPipe?.number, let count = readOnce(number, &buffer) else { return false }
        if count == 0 {
            poller.remove(number)
            child.output.errorPipe = nil
            return false
        }
        child.output.keepErrors(buffer[..<count])
        return true
    }

    // MARK: - The end

    /// Sends SIGTERM to a program and its group, and SIGKILL after a moment.
    ///
    /// Does nothing to a detached program that runs.
    func terminate(_ id: ChildID) {
        guard let child = children.all[id] else { return }
        if child.process == nil {
            if child.chance.take() { giveUp(child, CancellationError()) } else { child.isCancelled = true }
        } else if !child.isDetached, child.deadline == nil {
            child.process?.send(signal: SIGTERM)
            replaceDeadline(&child.deadline, .child(id), after: Self.grace)
        }
    }

    /// Kills a program and its group after the time to end.
    func deadlinePassed(of id: ChildID) {
        guard let child = children.all[id] else { return }
        child.deadline = nil
        child.process?.send(signal: SIGKILL)
    }

    /// Asks all programs to end, except detached ones.
    func terminateChildren() {
        for child in children.all.values where !child.isDetached { terminate(child.id) }
    }

    /// Kills the remaining programs when the loop ends, except detached ones.
    func abandonChildren() {
        var areAllStarted = true
        for child in children.all.values {
            child.starting.take()?.resume(throwing: CancellationError())
            if child.process == nil {
                child.waiting.take()?.resume(throwing: CancellationError())
                if !child.chance.take() { areAllStarted = false }
            } else if !child.isDetached {
                child.process?.send(signal: SIGKILL)
                finish(child)
            }
        }
        children.all = [:]
        // The loop must learn their process IDs before it ends.
        if !areAllStarted { children.spawner.finish() }
    }

    /// Kills the remaining processes of an ended child's group, and resumes the caller that waits for it.
    private func finish(_ child: Child) {
        if !child.isDetached { child.process?.send(signal: SIGKILL) }
        // Until it is reaped, the kernel knows where it was.
        if child.scope != nil, !child.isInScope, let processID = child.process?.id {
            child.isInScope = hasLeftOwnGroup(processID)
        }
        guard let ending = child.process?.reap() else { return }
        child.starting.take().map { child.isInScope ? $0.resume() : $0.resume(throwing: ScopeFailure()) }
        child.waiting.take()?.resume(returning: child.result(ending))
    }

    private func watch(_ descriptor: Int32, _ part: Child.Part, of child: Child) throws(SystemError) {
        try poller.add(descriptor, .readable, as: ChildEvent(child.id, part).rawValue)
    }

    /// Stops watching a child whose descriptors are about to be closed.
    private func unwatch(_ child: Child) {
        if let output = child.output.pipe?.number { poller.remove(output) }
        if let errors = child.output.errorPipe?.number { poller.remove(errors) }
        if let handle = child.process?.handle.number { poller.remove(handle) }
    }
}

/// The programs of a loop that run or are being started.
struct Children {
    var all: [ChildID: Child] = [:]
    var counts = ChildCounts()
    let spawner = Spawner()
    /// The programs' limit of descriptors: that of this process when the loop was created.
    ///
    /// The process can raise its own limit later; programs that use `select` cannot handle a high limit.
    let descriptorLimit = XCallbackEventLoop.descriptorLimit().rlim_cur
    private var lastID: UInt64 = 0

    mutating func takeID() -> ChildID {
        lastID += 1
        return ChildID(number: lastID)
    }

    /// Whether the loop must wait for programs to end.
    var areAwaited: Bool { all.values.contains { $0.process != nil && !$0.isDetached } }
}

/// A process has not reached its scope: there is no service manager, or it does not respond.
package struct ScopeFailure: Error {
    package init() {}
}

/// Whether a process is in another control group than this one; also known of a process that is not reaped yet.
private func hasLeftOwnGroup(_ processID: pid_t) -> Bool {
    guard let group = controlGroup(of: "\(processID)") else { return false }
    return group != controlGroup(of: "self")
}

/// Returns the line of a process's control group in the service manager's hierarchy: `0::`, or `name=systemd` where the system
/// uses no unified one (cgroups(7)).
private func controlGroup(of process: String) -> Substring? {
    guard let text = try? SmallFile("/proc/\(process)/cgroup").text else { return nil }
    let lines = text.split(separator: "\n")
    let unified = lines.first { $0.hasPrefix("0::") }
    return unified == "0::/" ? lines.first { $0.contains(":name=systemd:") } ?? unified : unified
}

/// Reads the available data; 0 at the end, nil if there is no data now.
private func readOnce(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int? {
    let count = xcb_read(descriptor, &buffer, buffer.count)
    let code = errno
    if count < 0, code == EAGAIN || code == EINTR { return nil }
    return max(count, 0)
}
