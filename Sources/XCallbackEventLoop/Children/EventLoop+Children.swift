import CLinux
import Glibc
import XCallbackLinux

extension EventLoop {
    /// How long a program may take to end after SIGTERM, before SIGKILL.
    private static let grace = Duration.seconds(2)
    /// How long a program may take to move to its scope.
    private static let scopePatience = Duration.seconds(5)
    /// How long the start of a program may take, with those before it: the disk of one may not respond.
    private static let startPatience = Duration.seconds(5)

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
        try await run(within: quota) { id throws(SystemError) in
            let child = try prepare(command, id)
            spawn(child, command)
            return child
        }
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
        let id = children.takeID()
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

    private func run(
        within quota: ChildQuota?, _ start: (ChildID) throws(SystemError) -> Child
    ) async throws -> ChildResult {
        let id = children.takeID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    // Started here, so that it cannot end before its end is awaited.
                    try Task.checkCancellation()
                    try children.check(quota)
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

    /// Counts a program that another process runs for the loop, until ``endForeignProgram(_:)``.
    ///
    /// - Parameter quota: The maximum number that run at a time, including this one, in any process.
    /// - Throws: ``ChildQuota/Excess`` if too many run.
    package func beginForeignProgram(_ quota: ChildQuota) throws(ChildQuota.Excess) {
        try children.check(quota)
        children.foreign[quota, default: 0] += 1
    }

    /// Stops counting a program that another process has run.
    package func endForeignProgram(_ quota: ChildQuota) {
        let count = children.foreign[quota, default: 0] - 1
        children.foreign[quota] = count > 0 ? count : nil
    }

    /// Creates a child that will be started.
    private func prepare(_ command: ChildCommand, _ id: ChildID) throws(SystemError) -> Child {
        var streams = try StreamPair(command)
        let child = Child(id, &streams, command)
        try watchStreams(of: child)
        child.programSide = consume streams
        children.all[id] = child
        return child
    }

    /// Starts a child outside the loop.
    private func spawn(_ child: Child, _ command: ChildCommand) {
        let plan = SpawnPlan(
            command: command, streams: child.programSide?.numbers() ?? (-1, nil, nil),
            descriptorLimit: children.descriptorLimit)
        children.startCount += 1
        replaceDeadline(&child.deadline, .child(child.id), after: Self.startPatience)
        _ = Task.immediate(executorPreference: executor) {
            self.noteSpawn(of: child, await children.spawner.start(plan, child.chance))
        }
    }

    /// Handles the outcome of a start.
    private func noteSpawn(of child: Child, _ outcome: Result<pid_t, SystemError>?) {
        children.startCount -= 1
        guard let outcome else { return }
        replaceDeadline(&child.deadline, .child(child.id), after: nil)
        if child.wish == .discard {
            if !child.isDetached, case .success(let processID) = outcome { SpawnedChild.discard(processID) }
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
        if child.wish == .end { terminate(child.id) }
        endIfIdle()
    }

    /// Waits until a child has moved to its scope; kills it if that takes too long.
    private func awaitScope(of id: ChildID, until end: Duration) {
        guard let child = children.all[id], let processID = child.process?.processID else { return }
        child.isInScope = hasLeftOwnGroup(processID)
        if child.isInScope { return child.starting.take()?.resume() ?? () }
        if now >= end { return child.send(signal: SIGKILL) }
        _ = call(after: .milliseconds(5)) { [self] in
            assumeIsolated { $0.awaitScope(of: id, until: end) }
        }
    }

    /// Removes a child that does not run.
    private func giveUp(_ child: Child, _ error: any Error) {
        replaceDeadline(&child.deadline, .child(child.id), after: nil)
        children.all[child.id] = nil
        unwatch(child)
        child.waiting.take()?.resume(throwing: error)
        child.starting.take()?.resume(throwing: error)
        endIfIdle()
    }

    /// Takes over the process of a started child; on failure no process is left.
    private func take(_ processID: pid_t, as child: Child) throws(SystemError) {
        // The program's side is closed first, so that a descriptor is free for the pidfd.
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

    private func watchStreams(of child: Child) throws(SystemError) {
        if let output = child.output.pipe?.number { try watch(output, .output, of: child) }
        if let errors = child.output.errorPipe?.number { try watch(errors, .errors, of: child) }
    }

    /// Sends SIGTERM to a program and its group, and SIGKILL after a moment.
    ///
    /// Does nothing to a detached program that runs.
    func terminate(_ id: ChildID) {
        guard let child = children.all[id], !child.isDetached || child.process == nil else { return }
        guard child.process != nil else {
            if child.chance.take() { giveUp(child, CancellationError()) } else { child.wish = .end }
            return
        }
        guard child.deadline == nil else { return }
        child.send(signal: SIGTERM)
        replaceDeadline(&child.deadline, .child(id), after: Self.grace)
    }

    /// The number of running programs whose end is awaited.
    package var childCount: Int { children.all.values.count { !$0.isDetached } }

    /// Kills a program and its group after the time to end, or gives up one that has not started.
    func deadlinePassed(of id: ChildID) {
        guard let child = children.all[id] else { return }
        child.deadline = nil
        if child.process != nil { return child.send(signal: SIGKILL) }
        guard child.chance.take() else { return endIfIdle() }
        giveUp(child, SystemError("starting it took too long", code: EAGAIN))
    }

    /// Kills the remaining programs when the loop ends, except detached ones.
    func abandonChildren() {
        var areAllStarted = true
        for child in children.all.values {
            if let deadline = child.deadline { deadlines.cancel(deadline) }
            child.starting.take()?.resume(throwing: CancellationError())
            if child.isDetached {
                // A detached program that is just being started continues.
                child.wish = .discard
                _ = child.chance.take()
                continue
            }
            guard child.process != nil else {
                child.waiting.take()?.resume(throwing: CancellationError())
                child.wish = .discard
                if !child.chance.take() { areAllStarted = false }
                continue
            }
            child.send(signal: SIGKILL)
            finish(child)
        }
        children.all = [:]
        // The loop must learn their process IDs before it ends.
        if !areAllStarted { children.spawner.finish() }
    }

    /// Asks all programs to end, except detached ones.
    func terminateChildren() {
        for child in children.all.values where !child.isDetached { terminate(child.id) }
    }

    /// Handles an event of a child.
    func handle(_ event: ChildEvent, _ buffers: inout Buffers) {
        if buffers.programOutput.isEmpty { buffers.programOutput = [UInt8](repeating: 0, count: 65_536) }
        guard let child = children.all[event.id] else { return }
        switch event.part {
        case .output: readOutput(of: child, &buffers.programOutput)
        case .errors: readErrors(of: child, &buffers.programOutput)
        case .handle:
            readLeftovers(of: child, &buffers.programOutput)
            children.all[child.id] = nil
            if let deadline = child.deadline { deadlines.cancel(deadline) }
            unwatch(child)
            let wasStarting = child.starting != nil
            finish(child)
            if !wasStarting || child.isInScope { child.ended?(self) }
            endIfIdle()
        }
    }

    /// Kills the remaining processes of an ended child's group, and resumes the caller that waits for it.
    private func finish(_ child: Child) {
        if !child.isDetached { child.send(signal: SIGKILL) }
        // Until it is reaped, the kernel knows where it was.
        if child.scope != nil, let processID = child.process?.processID {
            child.isInScope = child.isInScope || hasLeftOwnGroup(processID)
        }
        let ending = reap(child)
        child.starting.take().map { child.isInScope ? $0.resume() : $0.resume(throwing: ScopeFailure()) }
        child.waiting.take()?.resume(returning: child.result(ending))
    }

    /// Reaps a child that has ended or was killed.
    ///
    /// Until then its process ID and group ID cannot be reused.
    private func reap(_ child: Child) -> ChildResult.Ending {
        var information = siginfo_t()
        let handle = id_t(child.process?.handle.number ?? -1)
        while xcb_process_wait(P_PIDFD, handle, &information) < 0, errno == EINTR {}
        let status = information._sifields._sigchld.si_status
        return information.si_code == CLD_EXITED ? .exited(status: status) : .killed(signal: status)
    }

    /// Stops watching a child whose descriptors are about to be closed.
    private func unwatch(_ child: Child) {
        if let output = child.output.pipe?.number { unwatch(output) }
        if let errors = child.output.errorPipe?.number { unwatch(errors) }
        if let handle = child.process?.handle.number { unwatch(handle) }
    }

    /// Removes a descriptor from the epoll set before it is closed.
    ///
    /// Closing also removes it, unless another process has a copy: a process that is about to execute a program has one for a
    /// moment, and during that time the loop would get the same event again and again.
    func unwatch(_ descriptor: Int32) {
        if children.startCount > 0 { poller.remove(descriptor) }
    }

    private func watch(_ descriptor: Int32, _ part: Child.Part, of child: Child) throws(SystemError) {
        try poller.add(descriptor, .readable, as: ChildEvent(child.id, part).rawValue)
    }
}

/// The programs of a loop that run or are being started.
struct Children {
    var all: [ChildID: Child] = [:]
    /// The numbers of programs that other processes run for the loop, by quota.
    var foreign: [ChildQuota: Int] = [:]
    /// The number of programs that are being started.
    var startCount = 0
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

    /// Whether the loop must wait for programs to end, or to start, except for starts that take too long.
    var areAwaited: Bool {
        all.values.contains { child in
            child.process == nil ? child.deadline != nil : !child.isDetached
        }
    }

    /// Checks whether a quota allows another program.
    func check(_ quota: ChildQuota?) throws(ChildQuota.Excess) {
        guard let quota else { return }
        func check(_ holder: Holder, _ limit: Int, _ isIncluded: (ChildQuota) -> Bool) throws(ChildQuota.Excess) {
            let count = all.values.count { $0.quota.map { $0.group == quota.group && isIncluded($0) } ?? false }
            let foreign = self.foreign.filter { $0.key.group == quota.group && isIncluded($0.key) }
            guard count + foreign.values.reduce(0, +) < limit else {
                throw ChildQuota.Excess(holder: holder, limit: limit)
            }
        }
        if let share = quota.share {
            try check(.account(share.account), share.limit) { $0.share?.account == share.account }
            if share.isOfOtherUser {
                try check(.otherUsers, Share.most(of: quota.limit)) { $0.share?.isOfOtherUser == true }
            }
        }
        try check(.allUsers, quota.limit) { _ in true }
    }
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
    let number = open("/proc/\(process)/cgroup", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    defer { close(number) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(number, &bytes, bytes.count)
    let lines = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split(separator: "\n")
    let unified = lines.first { $0.hasPrefix("0::") }
    return unified == "0::/" ? lines.first { $0.contains(":name=systemd:") } ?? unified : unified
}
