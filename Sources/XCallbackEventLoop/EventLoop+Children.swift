import CLinux
import Glibc

extension EventLoop {
    /// How long a program that was asked to end may take before it is killed.
    private static let grace = Duration.seconds(2)
    /// How much is read of a pipe when its program has ended: more than any pipe holds.
    private static let leftoverReads = 32

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
        let id = takeChildID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    // Started here, so that it cannot end before somebody waits for it.
                    try Task.checkCancellation()
                    try check(quota)
                    let child = try start(command, id)
                    child.group = quota?.group ?? ""
                    child.waiting = continuation
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            _ = Task.immediate(executorPreference: executor) { await self.terminate(id) }
        }
    }

    /// Starts a program that lives on its own.
    ///
    /// - Parameters:
    ///   - command: The program; a detached one.
    ///   - ended: Called on the loop when it has ended, unless the loop ends before.
    /// - Throws: ``SystemError`` if it cannot be started.
    package func start(
        _ command: ChildCommand, ended: (@Sendable (isolated EventLoop) -> Void)? = nil
    ) throws(SystemError) {
        try start(command, takeChildID()).ended = ended
    }

    private func check(_ quota: ChildQuota?) throws(ChildQuota.Excess) {
        guard let quota else { return }
        if childCount + foreignPrograms.values.reduce(0, +) >= quota.totalLimit { throw .all }
        let count = children.values.count { $0.group == quota.group } + foreignPrograms[quota.group, default: 0]
        if count >= quota.groupLimit { throw .group }
    }

    /// Counts a program that something else runs for the loop, until ``endForeignProgram(_:)``.
    ///
    /// - Parameter quota: How many may run at a time, with this one, wherever they run.
    /// - Throws: ``ChildQuota/Excess`` if too many run.
    package func beginForeignProgram(_ quota: ChildQuota) throws(ChildQuota.Excess) {
        try check(quota)
        foreignPrograms[quota.group, default: 0] += 1
    }

    /// No longer counts a program that something else has run.
    package func endForeignProgram(_ quota: ChildQuota) {
        let count = foreignPrograms[quota.group, default: 0] - 1
        foreignPrograms[quota.group] = count > 0 ? count : nil
    }

    private func takeChildID() -> ChildID {
        lastChild += 1
        return ChildID(number: lastChild)
    }

    private func start(_ command: ChildCommand, _ id: ChildID) throws(SystemError) -> Child {
        let child = Child(id, try SpawnedChild(command, descriptorLimit: programDescriptorLimit), command)
        do {
            try watch(child.handle.number, .handle, of: child)
            if let output = child.output?.number { try watch(output, .output, of: child) }
            if let errors = child.errors?.number { try watch(errors, .errors, of: child) }
        } catch {
            child.send(signal: SIGKILL)
            _ = reap(child)
            throw error
        }
        children[id] = child
        return child
    }

    /// Asks a program and its group to end; after a moment they are killed.
    func terminate(_ id: ChildID) {
        guard let child = children[id], child.grace == nil, !child.isDetached else { return }
        child.send(signal: SIGTERM)
        replaceDeadline(&child.grace, .child(id), after: Self.grace)
    }

    /// How many programs run whose end is waited for.
    package var childCount: Int { children.values.count { !$0.isDetached } }

    /// Kills a program that has not ended in its time of grace, with all of its group.
    func kill(_ id: ChildID) {
        children[id]?.send(signal: SIGKILL)
    }

    /// Kills the programs that are left, as the loop ends; detached ones live on.
    func abandonChildren() {
        for child in children.values {
            if let grace = child.grace { deadlines.cancel(grace) }
            if child.isDetached { continue }
            child.send(signal: SIGKILL)
            finish(child)
        }
        children = [:]
    }

    /// Handles what has happened to a child.
    func handle(_ event: ChildEvent, _ buffers: inout Buffers) {
        if buffers.programOutput.isEmpty { buffers.programOutput = [UInt8](repeating: 0, count: 65_536) }
        guard let child = children[event.id] else { return }
        switch event.part {
        case .output: readOutput(of: child, &buffers.programOutput)
        case .errors: readErrors(of: child, &buffers.programOutput)
        case .handle:
            // Others may hold the pipes open: what is in them now is all that counts.
            for _ in 0..<Self.leftoverReads where child.output != nil {
                guard readOutput(of: child, &buffers.programOutput) else { break }
            }
            for _ in 0..<Self.leftoverReads where child.errors != nil {
                guard readErrors(of: child, &buffers.programOutput) else { break }
            }
            children[child.id] = nil
            if let grace = child.grace { deadlines.cancel(grace) }
            finish(child)
            child.ended?(self)
            endIfIdle()
        }
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
        while waitid(P_PIDFD, id_t(child.handle.number), &information, WEXITED) < 0, errno == EINTR {}
        let status = information._sifields._sigchld.si_status
        return information.si_code == CLD_EXITED ? .exited(status: status) : .killed(signal: status)
    }

    private func watch(_ descriptor: Int32, _ part: Child.Part, of child: Child) throws(SystemError) {
        try poller.add(descriptor, .readable, as: ChildEvent(child.id, part).rawValue)
    }

    /// Reads once; false if there is no more for now.
    @discardableResult
    private func readOutput(of child: Child, _ buffer: inout [UInt8]) -> Bool {
        guard let number = child.output?.number, let count = readOnce(number, &buffer) else { return false }
        let isWanted = count > 0 && child.keepOutput(buffer[..<count])
        if isWanted { return true }
        // A closed descriptor leaves the epoll set; a program that still writes notices it too.
        child.output = nil
        if count > 0 { terminate(child.id) }
        return false
    }

    /// Reads once; false if there is no more for now.
    @discardableResult
    private func readErrors(of child: Child, _ buffer: inout [UInt8]) -> Bool {
        guard let number = child.errors?.number, let count = readOnce(number, &buffer) else { return false }
        if count == 0 {
            child.errors = nil
            return false
        }
        child.keepErrors(buffer[..<count])
        return true
    }
}

/// Reads what there is; 0 at the end, nil if there is nothing now.
private func readOnce(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int? {
    let count = read(descriptor, &buffer, buffer.count)
    let code = errno
    if count < 0, code == EAGAIN || code == EINTR { return nil }
    return max(count, 0)
}
