import CLinux
import Glibc
import XCallbackLinux

// Programs: each is started outside the loop, ends by itself or after a signal, and is reaped. What one leaves behind that ends
// by itself lives on.
extension EventLoop {
    /// How long a program may take to end after SIGTERM, before SIGKILL.
    private static let grace = Duration.seconds(2)
    /// How long a program may take to move to its scope.
    private static let scopePatience = Duration.seconds(5)
    /// How long a detached program is watched after its start.
    private static let watchTime = Duration.seconds(2)
    /// The pause before what a program leaves behind moves, because most of it ends in the same moment, and between looks whether
    /// it is still there.
    private static let (leftPause, leftInterval) = (Duration.milliseconds(50), Duration.seconds(1))
    /// The maximum number of reads from a pipe after its program has ended: more than any pipe holds.
    private static let leftoverReads = 32

    /// The number of running programs whose end is awaited.
    package var childCount: Int { children.all.values.count { !$0.isDetached && $0.state != .left } }

    // MARK: - Start

    /// Runs a program until it exits.
    ///
    /// If the task is cancelled, a program that has not started does not start. One that has, with its group, gets SIGTERM,
    /// and SIGKILL if that does not end it, unless it is detached.
    ///
    /// - Parameters:
    ///   - command: The program.
    ///   - started: Called once the program runs, and is in its scope. A detached program must first have run for two seconds;
    ///     it is not called for one that has ended before.
    /// - Returns: How the program ended.
    /// - Throws: ``SystemError`` if the program cannot be started; ``ScopeFailure`` if it has not reached its scope;
    ///   `CancellationError` if it is no longer needed, or if the loop ends before a detached program.
    package func run(
        _ command: ChildCommand, started: @escaping @Sendable () -> Void = {}
    ) async throws -> ChildResult {
        let id = children.takeID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    try Task.checkCancellation()
                    // A loop that ends would leave the program behind.
                    if isEnding { throw CancellationError() }
                    let child = try add(command, id)
                    (child.caller, child.started) = (continuation, started)
                    start(child, command)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            _ = Task.immediate(executorPreference: executor) { await self.terminate(id) }
        }
    }

    /// Counts a program toward a group, until ``giveProgram(of:by:)``.
    ///
    /// - Throws: ``ChildExcess`` if too many run.
    package func takeProgram(of group: String, atMost limit: Int, by account: Account) throws(ChildExcess) {
        try children.counts.take(group, atMost: limit, by: account)
    }

    /// Counts a program toward a group no longer.
    package func giveProgram(of group: String, by account: Account) {
        children.counts.give(group, by: account)
    }

    /// Creates a child that will be started.
    private func add(_ command: ChildCommand, _ id: ChildID) throws(SystemError) -> Child {
        let child = try Child(id, command)
        let (output, errors) = (child.output.pipe.numbers.reading, child.output.errorPipe.numbers.reading)
        if output >= 0 { try watch(output, .output, of: child) }
        if errors >= 0 { try watch(errors, .errors, of: child) }
        children.all[id] = child
        return child
    }

    /// Starts a child on the queue, because that blocks until it runs, which takes long on a busy machine.
    private func start(_ child: Child, _ command: ChildCommand) {
        let limit = children.descriptorLimit
        // The queue uses only what never changes.
        nonisolated(unsafe) let child = child
        _ = Task.immediate(executorPreference: executor) {
            let outcome: Result<SpawnedProcess, SystemError>?
            do throws(SystemError) {
                outcome = try await children.queue.run { () -> Result<SpawnedProcess, SystemError>? in
                    guard child.takeStart() else { return nil }
                    return Result { () throws(SystemError) in
                        try SpawnedProcess(
                            command.arguments, environment: command.environment, in: command.folder,
                            streams: child.streams, group: command.isDetached ? .ownSession : .own,
                            descriptorLimit: limit)
                    }
                }
            } catch {
                outcome = child.takeStart() ? .failure(error) : nil
            }
            if let outcome { self.noteStart(of: child, outcome) }
        }
    }

    /// Takes over the process of a child, or ends the child without one.
    private func noteStart(of child: Child, _ outcome: Result<SpawnedProcess, SystemError>) {
        child.closeProgramSide()
        do throws(SystemError) {
            let process = try outcome.get()
            if child.state == .ended {
                // The loop has ended meanwhile.
                if !child.isDetached { process.kill() }
                return
            }
            do throws(SystemError) {
                try watch(process.handle.number, .handle, of: child)
            } catch {
                process.kill()
                throw error
            }
            child.process = process
        } catch {
            if child.state != .ended { remove(child, .failure(error)) }
            return
        }
        if child.state == .starting { child.state = .running } else { sendTerm(to: child) }
        if child.isDetached || child.scope != nil {
            replaceDeadline(&child.deadline, .child(child.id), after: Self.watchTime)
        } else {
            child.started.take()?()
        }
    }

    /// Ends the watch over a child that needs it; one that is not in its scope is killed after some more time.
    private func endWatch(over child: Child) {
        if !child.isOutsideScope {
            child.started.take()?()
            if child.isDetached { child.reportErrors() }
        } else if child.isLate {
            child.process?.send(signal: SIGKILL)
        } else {
            child.isLate = true
            replaceDeadline(&child.deadline, .child(child.id), after: Self.scopePatience - Self.watchTime)
        }
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
            finish(child)
            return endIfIdle()
        }
        if child.state == .left { lookAfter(child) }
    }

    /// Reads the remaining data in the pipes of an ended child, but not to the end: other processes may keep the pipes open.
    private func readLeftovers(of child: Child, _ buffer: inout [UInt8]) {
        for _ in 0..<Self.leftoverReads { if !readOutput(of: child, &buffer) { break } }
        for _ in 0..<Self.leftoverReads { if !readErrors(of: child, &buffer) { break } }
    }

    /// Reads once; returns false if there is no more data for now.
    @discardableResult
    private func readOutput(of child: Child, _ buffer: inout [UInt8]) -> Bool {
        let number = child.output.pipe.numbers.reading
        guard number >= 0, let count = readOnce(number, &buffer) else { return false }
        let isWanted = count > 0 && (child.state == .left || child.output.keep(buffer[..<count]))
        if isWanted { return true }
        // A program that still writes gets SIGPIPE.
        poller.remove(number)
        child.output.pipe.reading = nil
        if count > 0 { terminate(child.id) }
        return false
    }

    /// Reads once; returns false if there is no more data for now.
    @discardableResult
    private func readErrors(of child: Child, _ buffer: inout [UInt8]) -> Bool {
        let number = child.output.errorPipe.numbers.reading
        guard number >= 0, let count = readOnce(number, &buffer) else { return false }
        if count == 0 {
            poller.remove(number)
            child.output.errorPipe.reading = nil
            return false
        }
        child.take(errors: buffer[..<count])
        return true
    }

    // MARK: - The end

    /// Lets a program end that is no longer needed, unless it is detached and runs in its scope.
    func terminate(_ id: ChildID) {
        guard let child = children.all[id] else { return }
        if child.state == .starting, child.takeStart() { return remove(child, .failure(CancellationError())) }
        let isOnItsOwn = child.isDetached && child.process != nil
        if isOnItsOwn || child.state == .ending || child.state == .left { return }
        child.state = .ending
        if child.process != nil { sendTerm(to: child) }
    }

    /// Sends SIGTERM to a program and its group, and SIGKILL after a moment.
    private func sendTerm(to child: Child) {
        child.process?.send(signal: SIGTERM)
        replaceDeadline(&child.deadline, .child(child.id), after: Self.grace)
    }

    /// Handles the deadline of a child, whose meaning depends on the state.
    func deadlinePassed(of id: ChildID) {
        guard let child = children.all[id] else { return }
        child.deadline = nil
        switch child.state {
        case .running: endWatch(over: child)
        case .ending: child.process?.send(signal: SIGKILL)
        case .left: lookAfter(child)
        case .starting, .ended: break
        }
    }

    /// Asks all programs to end, except detached ones.
    func terminateChildren() {
        for child in children.all.values where !child.isDetached { terminate(child.id) }
    }

    /// Kills the remaining programs when the loop ends, except detached ones.
    func abandonChildren() {
        var areAllStarted = true
        for child in children.all.values {
            if let process = child.process, !child.isDetached {
                process.send(signal: SIGKILL)
                finish(child)
            } else {
                if child.state == .left {
                    move(child)
                } else if child.process == nil, !child.takeStart() {
                    areAllStarted = false
                }
                remove(child, .failure(CancellationError()))
            }
        }
        // The loop must learn their process IDs before it ends.
        if !areAllStarted { children.queue.finish(within: .seconds(2)) }
        // What is left now ends with the unit.
        children.moves.finish(within: .seconds(2))
    }

    /// Reaps a child, which has ended or was killed, and gives its caller the result.
    private func finish(_ child: Child) {
        guard let process = child.process else { return }
        // What it has started ends with it, unless it has ended by itself.
        if child.state == .ending { process.send(signal: SIGKILL) }
        // Until it is reaped, the kernel knows where it was.
        let isOutsideScope = child.isOutsideScope
        let ending = process.reap()
        if isOutsideScope { return remove(child, .failure(ScopeFailure())) }
        if !child.isDetached { child.started.take()?() }
        var result = child.result(ending)
        child.group = process.id
        guard child.state == .running, !child.isGone else { return remove(child, .success(result)) }
        poller.remove(process.handle.number)
        child.process = nil
        child.state = .left
        child.reportErrors()
        replaceDeadline(&child.deadline, .child(child.id), after: Self.leftPause)
        result.left = child.id
        child.caller.take()?.resume(returning: result)
    }

    /// Ends the life of a child, wherever it was, with the result for its caller.
    private func remove(_ child: Child, _ result: Result<ChildResult, any Error>) {
        child.state = .ended
        children.all[child.id] = nil
        child.account.take()?.give(.processes)
        replaceDeadline(&child.deadline, .child(child.id), after: nil)
        let (output, errors) = (child.output.pipe.numbers.reading, child.output.errorPipe.numbers.reading)
        for number in [output, errors, child.process?.handle.number ?? -1] where number >= 0 { poller.remove(number) }
        child.caller.take()?.resume(with: result)
    }

    private func watch(_ descriptor: Int32, _ part: Child.Part, of child: Child) throws(SystemError) {
        try poller.add(descriptor, .readable, as: ChildEvent(id: child.id, part: part).rawValue)
    }

    // MARK: - What is left

    /// Returns what ended programs have left behind that counts toward an account: what they are called, the process group, and
    /// the scope unless it is in the unit of this process.
    package func leftBehind(for account: Account) -> [(title: String, group: Int32, scope: String?)] {
        children.all.values.filter { $0.account === account }.map {
            ($0.title, $0.group, $0.isInScope ? $0.scope : nil)
        }
    }

    /// Lets what a program has left behind count toward an account until it is gone; returns whether it is still there.
    package func count(_ left: ChildID, toward account: Account) -> Bool {
        children.all[left]?.account = account
        return children.all[left] != nil
    }

    /// Removes what is left of a child if it is gone; otherwise moves it to its scope.
    private func lookAfter(_ child: Child) {
        if child.isGone { return remove(child, .failure(CancellationError())) }
        if child.deadline != nil { return }
        move(child)
        // The end of a pipe is an event.
        if !child.output.isOpen { replaceDeadline(&child.deadline, .child(child.id), after: Self.leftInterval) }
    }

    /// Moves what is left of a child to its scope, outside of the loop, because that blocks.
    private func move(_ child: Child) {
        guard let scope = child.scopeOfLeft.take() else { return }
        let (output, errors) = (child.output.pipe.numbers.reading, child.output.errorPipe.numbers.reading)
        let left = LeftProcesses(group: child.group, pipes: [output, errors].filter { $0 >= 0 })
        let description = child.title
        // Used on the loop only, where it lives.
        nonisolated(unsafe) let child = child
        _ = Task.immediate(executorPreference: executor) {
            do throws(SystemError) {
                guard try await children.moves.run({ left.move(to: scope, description) }) else { return }
            } catch {
                // Without a thread it stays where it is.
                return
            }
            (child.scope, child.isInScope) = ("\(scope).scope", true)
            if child.state == .left { self.lookAfter(child) }
        }
    }
}

/// The programs of a loop that run or are being started.
struct Children {
    var all: [ChildID: Child] = [:]
    var counts = ChildCounts()
    /// Starts programs, one at a time; a thread for each of them would take 8 % of the time of a program that does nothing.
    let queue = WorkQueue(idleTime: .milliseconds(Int(xcb_thread_idle_time())))
    /// Moves what programs leave behind, one at a time.
    let moves = WorkQueue()
    /// The programs' limit of descriptors: that of this process when the loop was created.
    ///
    /// The process can raise its own limit later; programs that use `select` cannot handle a high limit.
    let descriptorLimit: rlim_t
    private var lastID: UInt64 = 0

    init() {
        var limit = rlimit()
        // Cannot fail: the arguments are valid.
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        descriptorLimit = limit.rlim_cur
    }

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

/// Reads the available data; 0 at the end, nil if there is no data now.
private func readOnce(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int? {
    let count = uninterrupted { xcb_read(descriptor, &buffer, buffer.count) }
    if count < 0, errno == EAGAIN { return nil }
    return max(count, 0)
}
