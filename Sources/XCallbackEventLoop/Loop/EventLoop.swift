import CLinux
import Dispatch
import Glibc
package import XCallbackLinux

/// Accepts connections, reads, writes, and handles deadlines, all on one serial queue.
///
/// One epoll set contains the listening sockets, the connections, an eventfd for jobs of other queues, a timerfd and a
/// signalfd. The loop is a single block on its queue, which returns when the loop has ended, so it keeps its thread even
/// when the system has no more threads.
package actor EventLoop {
    /// How long connections get turns before the loop checks for events again, in nanoseconds.
    private static let roundTime: Int64 = 1_000_000
    /// The maximum number of events per call.
    static let batchSize = 256

    /// The purpose of a deadline.
    enum Deadline {
        case accepting
        case silence(ConnectionID)
        case message(ConnectionID)
        case service(ServiceDeadline)
        case child(ChildID)
        case call(() -> Void)
    }

    /// The stage of ending the loop.
    private enum Ending {
        case notYet
        case closing
        /// Only programs that have got SIGTERM are left.
        case waiting
        case ended
    }

    /// Members of the epoll set that are neither connections nor children.
    enum Member: UInt64 {
        // Generations of connections start at zero and never reach these numbers.
        case jobs = 0xFFFF_FFFF_0000_0000
        case timer
        case signals
        case listener
        case agentListener
    }

    /// Buffers that all connections use in turn.
    struct Buffers {
        var events = Array(repeating: epoll_event(), count: EventLoop.batchSize)
        var inbox = Inbox()
        /// Created when the first program has written something.
        var programOutput: [UInt8] = []
        var outbox = Outbox()
    }

    package nonisolated let executor: QueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let poller: Poller
    /// How long a client may take to send its first byte; a change affects later clients only.
    package var silenceLimit = Duration.seconds(10)
    /// How long a client may take to complete a message.
    package var messageLimit = Duration.seconds(10)
    /// The service.
    package internal(set) var service: (any LoopService)?
    var connections = ConnectionTable()
    /// The programs' limit of descriptors: that of this process when the loop was created.
    ///
    /// The process can raise its own limit later; programs that use `select` cannot handle a high limit.
    let programDescriptorLimit: rlim_t
    /// Starts programs whose end is awaited.
    let spawner = Spawner()
    /// The number of programs that are being started.
    var spawnCount = 0
    /// The programs that run or are being started.
    var children: [ChildID: Child] = [:]
    var lastChild: UInt64 = 0
    /// The numbers of programs that other processes run for the loop, by quota.
    var foreignPrograms: [ChildQuota: Int] = [:]
    var deadlines = DeadlineHeap<Deadline>()
    /// The time of the current batch, in nanoseconds of the monotonic clock.
    package internal(set) var time: Int64
    var listeners: [Listener] = []
    /// The reasons why no clients are accepted now.
    var isAcceptingPaused = false
    /// Whether clients may wait at a socket that was closed.
    var hasGivenUpAccepting = false
    var serviceDeadlines: [ServiceDeadline: DeadlineHeap<Deadline>.ID] = [:]
    /// The accounts and their use of resources.
    package let accounts = Accounts()
    /// The connections with pending work.
    var ready = ReadyList()

    /// Nil while in use.
    private var buffers: Buffers? = Buffers()
    private let timer: Descriptor
    private var armedTime = Int64.max
    private var signals: Descriptor?
    private var ending = Ending.notYet
    /// The number of obligations that must end before the loop does.
    private var stopped: (@Sendable () -> Void)?

    /// Creates a loop without a service; it runs until it is stopped.
    ///
    /// - Parameter label: The name of the queue.
    /// - Throws: ``SystemError`` if the system is out of descriptors.
    package init(label: String) throws(SystemError) {
        let executor = try QueueExecutor(label: label)
        let timer = Descriptor(
            try SystemError.check("timerfd_create") {
                xcb_timer(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
            })
        let poller = try Poller()
        do throws(SystemError) {
            try poller.add(executor.announcements.number, .readable, as: Member.jobs.rawValue)
            try poller.add(timer.number, .readable, as: Member.timer.rawValue)
        } catch {
            _ = xcb_close(poller.descriptor)
            throw error
        }
        programDescriptorLimit = descriptorLimit().rlim_cur
        self.executor = executor
        self.timer = timer
        self.poller = poller
        time = monotonicTime()
    }

    /// Returns the loop of the caller; nil if the caller does not run on a loop.
    ///
    /// Async stages run on the loop that serves their request, and find it with this function. (The isolation is a parameter
    /// because Swift 6.3 releases `#isolation` once too often if a function casts its own.)
    package static func current(isolation: isolated (any Actor)? = #isolation) -> EventLoop? {
        isolation as? EventLoop
    }

    /// The duration of the current batch of events so far, in nanoseconds.
    package var timeInBatch: Int64 { monotonicTime() - time }

    /// The number of pending deadlines.
    package var deadlineCount: Int { deadlines.count }

    /// The time of the current batch of events, on a monotonic clock.
    package var now: Duration { .nanoseconds(time) }

    /// Sets the service; ``work()`` runs it.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - stopped: Called once from the loop's queue when the loop has ended.
    package func run(_ service: any LoopService, stopped: @escaping @Sendable () -> Void) {
        self.service = service
        self.stopped = stopped
    }

    /// Ends the loop: all connections are closed, and the service stops.
    ///
    /// Running programs get SIGTERM, and the loop continues until they have ended; a second call kills them.
    package func stop() {
        switch ending {
        case .notYet:
            ending = .closing
            for connection in connections.all { close(connection) }
            listeners = []
            for child in children.values where !child.isDetached { terminate(child.id) }
            ending = .waiting
            endIfIdle()
        // The service may stop the loop when its last connection closes.
        case .closing: break
        case .waiting: finish()
        case .ended: break
        }
    }

    /// Ends the loop if it is stopping and has nothing left to wait for.
    func endIfIdle() {
        if ending == .waiting, !hasOwnChildren { finish() }
    }

    private func finish() {
        abandonChildren()
        ending = .ended
    }

    /// Whether the loop is ending or has ended.
    package var isEnding: Bool { ending != .notYet }

    /// Reads signals in the loop; they must be blocked in all threads.
    ///
    /// - Throws: ``SystemError`` if the system is out of descriptors.
    package func watchSignals(_ numbers: [Int32]) throws(SystemError) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        let descriptor = Descriptor(
            try SystemError.check("signalfd") {
                xcb_signals(&set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
            })
        try poller.add(descriptor.number, .readable, as: Member.signals.rawValue)
        signals = consume descriptor
    }

    /// Passes a signal to the service, as if the process had received it.
    package func handle(signal: Int32) {
        service?.receive(signal: signal, on: self)
    }

    /// Sets a deadline of the service, or cancels it.
    package func setDeadline(_ deadline: ServiceDeadline, after delay: Duration?) {
        replaceDeadline(&serviceDeadlines[deadline], .service(deadline), after: delay)
        // During a batch, the loop arms the timer itself at the end.
        if buffers != nil { armTimer() }
    }

    /// Calls a function on the loop after a delay.
    ///
    /// - Parameters:
    ///   - delay: The delay.
    ///   - body: The function; not called if the loop ends before.
    /// - Returns: A value with which the call can be cancelled.
    package func call(after delay: Duration, _ body: @escaping () -> Void) -> DelayedCall {
        let id = deadlines.add(.call(body), at: time + nanoseconds(delay))
        if buffers != nil { armTimer() }
        return DelayedCall(id: id)
    }

    /// Cancels a call; does nothing if the call was already made.
    package func cancel(_ call: DelayedCall) {
        deadlines.cancel(call.id)
    }

    private func end(isLast: Bool) {
        if isLast { executor.runLastJobs() } else { executor.endWatch() }
        _ = xcb_close(poller.descriptor)
        service = nil
        ready.removeAll()
        while deadlines.takeDue(at: .max) != nil {}
        stopped?()
        stopped = nil
    }
}

/// Identifies a call that the loop will make.
package struct DelayedCall: Sendable {
    let id: DeadlineHeap<EventLoop.Deadline>.ID
}

// MARK: - Waiting for events

extension EventLoop {
    /// Runs the loop on a thread of the queue.
    package nonisolated func start() {
        executor.async { self.assumeIsolated { $0.work(isLast: false) } }
    }

    /// Makes jobs wait for ``workHere()``, which must follow: otherwise the queue runs them, and its thread cannot
    /// leave the queue until the system has another thread for them.
    package nonisolated func expectWork() { executor.expectWatch() }

    /// Runs the loop on the calling thread until the loop has ended; the loop cannot be used after that.
    package nonisolated func workHere() {
        sync { $0.work(isLast: true) }
    }

    /// Calls a function on the loop before the loop runs.
    package nonisolated func sync(_ body: @Sendable (isolated EventLoop) throws -> Void) rethrows {
        try executor.sync { try assumeIsolated { try body($0) } }
    }

    /// Runs until the loop has ended.
    ///
    /// - Parameter isLast: Whether the loop is not used after that.
    private func work(isLast: Bool) {
        executor.beginWatch()
        // The buffers are a local variable in the meantime, which avoids checks for exclusive access.
        if var buffers = buffers.take() {
            while ending != .ended { handleEvents(&buffers) }
        }
        end(isLast: isLast)
    }

    /// Handles events, or waits for them, and then gives turns to connections for a while.
    private func handleEvents(_ buffers: inout Buffers) {
        let blocks = ready.isEmpty
        if blocks { armTimer() }
        let count: Int
        do {
            count = try poller.wait(into: &buffers.events, blocks: blocks)
        } catch {
            // Unreachable for any input: the arguments are constant, and the set is closed only after the loop has ended.
            preconditionFailure("the loop's own epoll set is broken: \(error)")
        }
        time = monotonicTime()
        if count == 1, blocks {
            handle(buffers.events[0], isAlone: true, &buffers)
        } else {
            for index in 0..<count { handle(buffers.events[index], isAlone: false, &buffers) }
        }
        let end = time + Self.roundTime
        repeat { takeTurns(&buffers) } while !ready.isEmpty && monotonicTime() < end
        handleDeadlines(&buffers)
        service?.batchEnded(on: self)
    }

    /// Handles an event; a connection waits for its turn unless it has the only event.
    private func handle(_ event: epoll_event, isAlone: Bool, _ buffers: inout Buffers) {
        let number = event.data.u64
        guard number < Member.jobs.rawValue else {
            switch Member(rawValue: number) {
            case .jobs: executor.runJobs()
            case .timer: readTimer()
            case .signals: readSignals()
            case .listener: acceptConnections(from: .listener)
            case .agentListener: acceptConnections(from: .agentListener)
            case nil: preconditionFailure("an unknown member of the epoll set")
            }
            return
        }
        if let event = ChildEvent(rawValue: number) { return handle(event, &buffers) }
        guard let connection = connections[ConnectionID(rawValue: number)] else { return }
        let events = Poller.Events(rawValue: event.events)
        if isAlone { return handle(events, of: connection, &buffers) }
        connection.events = events
        ready.add(connection)
    }

    private func handleDeadlines(_ buffers: inout Buffers) {
        while let deadline = deadlines.takeDue(at: time) {
            switch deadline {
            case .accepting: resumeAccepting()
            case .silence(let id): if let connection = connections[id] { endSilence(of: connection) }
            case .message(let id): if let connection = connections[id] { endMessage(of: connection, &buffers) }
            case .child(let id): deadlinePassed(of: id)
            case .call(let body): body()
            case .service(let deadline):
                serviceDeadlines[deadline] = nil
                service?.deadlinePassed(deadline, on: self)
            }
        }
    }

    /// Sets the timer if the next deadline is earlier than the current setting.
    private func armTimer() {
        guard let next = deadlines.nextTime, next < armedTime else { return }
        var setting = itimerspec()
        setting.it_value.tv_sec = Int(next / 1_000_000_000)
        setting.it_value.tv_nsec = Int(next % 1_000_000_000)
        // Cannot fail: the descriptor is a timer and the time is valid.
        _ = xcb_timer_set(timer.number, Int32(TFD_TIMER_ABSTIME), &setting)
        armedTime = next
    }

    private func readTimer() {
        var expirations: UInt64 = 0
        _ = xcb_read(timer.number, &expirations, MemoryLayout<UInt64>.size)
        armedTime = .max
    }

    private func readSignals() {
        guard let descriptor = signals?.number else { return }
        var info = signalfd_siginfo()
        while xcb_read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
            handle(signal: Int32(info.ssi_signo))
        }
    }

    /// Replaces a deadline with another one.
    func replaceDeadline(
        _ id: inout DeadlineHeap<Deadline>.ID?, _ deadline: Deadline, after delay: Duration?
    ) {
        if let old = id.take() { deadlines.cancel(old) }
        if let delay { id = deadlines.add(deadline, at: time + nanoseconds(delay)) }
    }
}
