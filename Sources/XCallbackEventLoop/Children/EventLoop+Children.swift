import CLinux
import Glibc
import XCallbackLinux

extension EventLoop {
    /// How long a program that was asked to end may take before it is killed.
    private static let grace = Duration.seconds(2)
    /// How long a program waits for a thread that starts it.
    private static let startPatience = Duration.seconds(5)

    /// Runs a program to its end.
    ///
    /// The program and its group are asked to end when the task is cancelled, and killed when they do not.
    ///
    /// - Parameters:
    ///   - command: The program; not a detached one.
    ///   - quota: How many may run at a time, with this one.
    /// - Returns: How it has ended.
    /// - Throws: ``ChildQuota/Excess`` if too many run, ``SystemError`` if it cannot be started, `CancellationError` if
    ///   nobody wants it any more.
    package func run(_ command: ChildCommand, within quota: ChildQuota? = nil) async throws -> ChildResult {
        try await run(within: quota) { id throws(SystemError) in
            let child = try prepare(command, id)
            spawn(child, command)
            return child
        }
    }

    /// Starts a program that lives on its own, beside the loop, and waits until it runs.
    ///
    /// It is not started any more when the task is cancelled.
    ///
    /// - Parameters:
    ///   - command: The program; a detached one.
    ///   - ended: Called on the loop when it has ended, unless the loop ends before; not if it cannot be started.
    /// - Throws: ``SystemError`` if it cannot be started, `CancellationError` if nobody wants it any more.
    package func start(
        _ command: ChildCommand, ended: @escaping @Sendable (isolated EventLoop) -> Void
    ) async throws {
        let id = takeChildID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    try Task.checkCancellation()
                    let child = try prepare(command, id)
                    child.ended = ended
                    child.starting = continuation
                    spawn(child, command)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            _ = Task.immediate(executorPreference: executor) { await self.terminate(id) }
        }
    }

    /// Lets something else run a program to its end.
    ///
    /// The program and whatever it has started are ended when the task is cancelled.
    ///
    /// - Parameters:
    ///   - command: The program; not a detached one.
    ///   - quota: How many may run at a time, with this one, whatever runs them.
    ///   - host: What runs it.
    /// - Returns: How it has ended.
    /// - Throws: ``ChildQuota/Excess`` if too many run, what the host says if it cannot run it, `CancellationError` if
    ///   nobody wants it any more.
    package func run(
        _ command: ChildCommand, within quota: ChildQuota?, under host: any ProgramHost
    ) async throws -> ChildResult {
        try await run(within: quota) { id throws(SystemError) in try begin(command, id, under: host) }
    }

    private func run(
        within quota: ChildQuota?, _ start: (ChildID) throws(SystemError) -> Child
    ) async throws -> ChildResult {
        let id = takeChildID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    // Started here, so that it cannot end before somebody waits for it.
                    try Task.checkCancellation()
                    try check(quota)
                    let child = try start(id)
                    child.quota = quota
                    child.waiting = continuation
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            _ = Task.immediate(executorPreference: executor) { await self.terminate(id) }
        }
    }

    /// Lets something else start a program that lives on its own.
    ///
    /// - Parameters:
    ///   - command: The program; a detached one.
    ///   - host: What starts it.
    ///   - ended: Called on the loop when it has ended, or its host no longer sees it; not if it cannot be started.
    /// - Throws: What the host says if it cannot be started.
    package func start(
        _ command: ChildCommand, under host: any ProgramHost, ended: @escaping @Sendable (isolated EventLoop) -> Void
    ) async throws {
        let id = takeChildID()
        try await withCheckedThrowingContinuation { continuation in
            do {
                let child = try begin(command, id, under: host)
                child.ended = ended
                child.starting = continuation
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    private func check(_ quota: ChildQuota?) throws(ChildQuota.Excess) {
        guard let quota else { return }
        let running = children.values.compactMap(\.quota).filter { $0.group == quota.group }
        let foreign = foreignPrograms.filter { $0.key.group == quota.group }
        if let share = quota.share {
            let count = running.count { $0.share?.account == share.account }
            let foreignCount = foreign.filter { $0.key.share?.account == share.account }.values.reduce(0, +)
            if count + foreignCount >= share.limit {
                throw ChildQuota.Excess(account: share.account, limit: share.limit)
            }
        }
        if running.count + foreign.values.reduce(0, +) >= quota.limit {
            throw ChildQuota.Excess(account: nil, limit: quota.limit)
        }
    }

    /// Counts a program that something else runs for the loop, until ``endForeignProgram(_:)``.
    ///
    /// - Parameter quota: How many may run at a time, with this one, wherever they run.
    /// - Throws: ``ChildQuota/Excess`` if too many run.
    package func beginForeignProgram(_ quota: ChildQuota) throws(ChildQuota.Excess) {
        try check(quota)
        foreignPrograms[quota, default: 0] += 1
    }

    /// No longer counts a program that something else has run.
    package func endForeignProgram(_ quota: ChildQuota) {
        let count = foreignPrograms[quota, default: 0] - 1
        foreignPrograms[quota] = count > 0 ? count : nil
    }

    private func takeChildID() -> ChildID {
        lastChild += 1
        return ChildID(number: lastChild)
    }

    /// Makes a child that is to be started.
    private func prepare(_ command: ChildCommand, _ id: ChildID) throws(SystemError) -> Child {
        var streams = try StreamPair(command)
        let child = Child(id, under: nil, &streams, command)
        try watchStreams(of: child)
        child.programSide = consume streams
        children[id] = child
        return child
    }

    /// Has a child started beside the loop.
    private func spawn(_ child: Child, _ command: ChildCommand) {
        let plan = SpawnPlan(
            command: command, streams: child.programSide?.numbers() ?? (-1, nil, nil),
            descriptorLimit: programDescriptorLimit)
        spawnCount += 1
        replaceDeadline(&child.deadline, .child(child.id), after: Self.startPatience)
        _ = Task.immediate(executorPreference: executor) {
            self.noteSpawn(of: child, await spawner.start(plan, child.chance))
        }
    }

    /// Hears what has become of a child that was to be started.
    private func noteSpawn(of child: Child, _ outcome: Result<pid_t, SystemError>?) {
        spawnCount -= 1
        guard let outcome else { return }
        replaceDeadline(&child.deadline, .child(child.id), after: nil)
        if child.isAbandoned {
            if !child.isDetached, case .success(let processID) = outcome { SpawnedChild.discard(processID) }
            return
        }
        do throws(SystemError) {
            try take(outcome.get(), as: child)
        } catch {
            return giveUp(child, error)
        }
        child.starting.take()?.resume()
        if child.isToEnd { terminate(child.id) }
        endIfIdle()
    }

    /// Forgets a child that does not run.
    private func giveUp(_ child: Child, _ error: any Error) {
        replaceDeadline(&child.deadline, .child(child.id), after: nil)
        children[child.id] = nil
        unwatch(child)
        child.waiting.take()?.resume(throwing: error)
        child.starting.take()?.resume(throwing: error)
        endIfIdle()
    }

    /// Takes the process of a child that runs; if that cannot be, none is left.
    private func take(_ processID: pid_t, as child: Child) throws(SystemError) {
        // What only the program needs is closed first, so that there is room for the descriptor of the process.
        child.programSide = nil
        let process = try SpawnedChild(processID)
        do {
            try watch(process.handle.number, .handle, of: child)
        } catch {
            SpawnedChild.discard(processID)
            throw error
        }
        child.process = consume process
    }

    private func begin(
        _ command: ChildCommand, _ id: ChildID, under host: any ProgramHost
    ) throws(SystemError) -> Child {
        var streams = try StreamPair(command)
        let child = Child(id, under: host, &streams, command)
        try watchStreams(of: child)
        try host.begin(command, id, try streams.takeProgramSide(), on: self)
        children[id] = child
        return child
    }

    private func watchStreams(of child: Child) throws(SystemError) {
        if let output = child.output?.number { try watch(output, .output, of: child) }
        if let errors = child.errors?.number { try watch(errors, .errors, of: child) }
    }

    /// Asks a program and its group to end; after a moment they are killed.
    ///
    /// A detached one that runs is let be.
    func terminate(_ id: ChildID) {
        guard let child = children[id], !child.isDetached || child.process == nil && child.host == nil else { return }
        if let host = child.host {
            guard !child.isToEnd else { return }
            child.isToEnd = true
            return host.end(id, on: self)
        }
        guard child.process != nil else {
            if child.chance.take() { giveUp(child, CancellationError()) } else { child.isToEnd = true }
            return
        }
        guard child.deadline == nil else { return }
        child.send(signal: SIGTERM)
        replaceDeadline(&child.deadline, .child(id), after: Self.grace)
    }

    /// How many programs run whose end is waited for.
    package var childCount: Int { children.values.count { !$0.isDetached } }

    /// Whether there are programs whose end the loop has to see, or their start, unless that takes long.
    var hasOwnChildren: Bool {
        children.values.contains { child in
            child.host == nil && (child.process == nil ? child.deadline != nil : !child.isDetached)
        }
    }

    /// Kills a program that has not ended in its time of grace, with all of its group; gives up one that was not started.
    func deadlinePassed(of id: ChildID) {
        guard let child = children[id] else { return }
        child.deadline = nil
        if child.process != nil { return child.send(signal: SIGKILL) }
        guard child.chance.take() else { return endIfIdle() }
        giveUp(child, SystemError("no thread available to start it", code: EAGAIN))
    }

    /// Kills the programs that are left, as the loop ends; detached ones live on, and those that something else runs.
    func abandonChildren() {
        var areAllStarted = true
        for child in children.values {
            if let deadline = child.deadline { deadlines.cancel(deadline) }
            child.starting.take()?.resume(throwing: CancellationError())
            if child.isDetached {
                // One that is just being started lives on.
                child.isAbandoned = true
                _ = child.chance.take()
                continue
            }
            guard child.process != nil else {
                child.waiting.take()?.resume(throwing: CancellationError())
                child.isAbandoned = true
                if child.host == nil, !child.chance.take() { areAllStarted = false }
                continue
            }
            child.send(signal: SIGKILL)
            finish(child)
        }
        children = [:]
        // Then the loop hears of them before it has ended.
        if !areAllStarted { spawner.finish() }
    }

    /// Handles what has happened to a child.
    func handle(_ event: ChildEvent, _ buffers: inout Buffers) {
        if buffers.programOutput.isEmpty { buffers.programOutput = [UInt8](repeating: 0, count: 65_536) }
        guard let child = children[event.id] else { return }
        switch event.part {
        case .output: readOutput(of: child, &buffers.programOutput)
        case .errors: readErrors(of: child, &buffers.programOutput)
        case .handle:
            readLeftovers(of: child, &buffers.programOutput)
            children[child.id] = nil
            if let deadline = child.deadline { deadlines.cancel(deadline) }
            unwatch(child)
            finish(child)
            child.ended?(self)
            endIfIdle()
        }
    }

    /// Hears that a program runs which something else has started.
    package func noteStart(of id: ChildID) {
        children[id]?.starting.take()?.resume()
    }

    /// Hears how a program has ended that something else has run, or why it could not be run.
    package func noteEnd(of id: ChildID, _ ending: Result<ChildResult.Ending, any Error>) {
        guard let child = children.removeValue(forKey: id) else { return }
        switch ending {
        case .success(let ending):
            var buffer = [UInt8](repeating: 0, count: 65_536)
            readLeftovers(of: child, &buffer)
            child.starting.take()?.resume()
            child.waiting.take()?.resume(returning: child.result(ending))
        case .failure(let error):
            child.waiting.take()?.resume(throwing: error)
            if let starting = child.starting.take() { return starting.resume(throwing: error) }
        }
        child.ended?(self)
    }

    /// Ends what is left of the group of a child that has ended, and tells who waits for it.
    private func finish(_ child: Child) {
        if !child.isDetached { child.send(signal: SIGKILL) }
        let ending = reap(child)
        child.waiting.take()?.resume(returning: child.result(ending))
    }

    /// Takes the status of a child that has ended or was killed.
    ///
    /// Until then its number, and that of its group, cannot be given to others.
    private func reap(_ child: Child) -> ChildResult.Ending {
        var information = siginfo_t()
        let handle = id_t(child.process?.handle.number ?? -1)
        while xcb_process_wait(P_PIDFD, handle, &information) < 0, errno == EINTR {}
        let status = information._sifields._sigchld.si_status
        return information.si_code == CLD_EXITED ? .exited(status: status) : .killed(signal: status)
    }

    /// Lets the loop hear no more of a child whose descriptors are about to be closed.
    private func unwatch(_ child: Child) {
        if let output = child.output?.number { unwatch(output) }
        if let errors = child.errors?.number { unwatch(errors) }
        if let handle = child.process?.handle.number { unwatch(handle) }
    }

    /// Takes a descriptor that is about to be closed out of the epoll set.
    ///
    /// Closing it does so too, unless another process has it: the one that is about to be a program has a copy of each for
    /// a moment, and as long the loop would hear of nothing but the descriptor again and again.
    func unwatch(_ descriptor: Int32) {
        if spawnCount > 0 { poller.remove(descriptor) }
    }

    private func watch(_ descriptor: Int32, _ part: Child.Part, of child: Child) throws(SystemError) {
        try poller.add(descriptor, .readable, as: ChildEvent(child.id, part).rawValue)
    }
}
