import CLinux
import Dispatch
import Glibc
package import XCallbackLinux

/// Accepts connections, reads, writes, and keeps time, all on one serial queue.
///
/// One epoll set holds the listening socket, the connections, an eventfd for jobs of other queues, a timerfd and a
/// signalfd. The loop is one block on its queue, which returns when the loop has ended: so it has its thread for as long
/// as it lasts, also where the system has none to give any more.
package actor EventLoop {
    /// How long connections have turns before the loop looks at events again, in nanoseconds.
    private static let roundTime: Int64 = 1_000_000
    /// How many events are taken at a time.
    static let batchSize = 256

    /// What a deadline is for.
    enum Deadline {
        case accepting
        case silence(ConnectionID)
        case message(ConnectionID)
        case service(ServiceDeadline)
        case child(ChildID)
        case call(() -> Void)
    }

    /// How far the loop has come with ending.
    private enum Ending {
        case notYet
        case closing
        /// Only programs that were asked to end are left.
        case waiting
        case ended
    }

    /// Members of the epoll set that are not connections or children.
    enum Member: UInt64 {
        // Generations of connections start at zero and do not come near.
        case jobs = 0xFFFF_FFFF_0000_0000
        case timer
        case signals
        case listener
        case agentListener
    }

    /// Buffers that serve all connections in turn.
    struct Buffers {
        var events = Array(repeating: epoll_event(), count: EventLoop.batchSize)
        var inbox = Inbox()
        /// Made when the first program has written something.
        var programOutput: [UInt8] = []
        var outbox = Outbox()
    }

    package nonisolated let executor: QueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let poller: Poller
    /// How long a client may take to send its first byte; a change holds for the clients that come after it.
    package var silenceLimit = Duration.seconds(10)
    /// How long it may take to complete a message that it has begun.
    package var messageLimit = Duration.seconds(10)
    /// What is served.
    package internal(set) var service: (any LoopService)?
    var connections = ConnectionTable()
    /// How many descriptors programs may have: as many as this process might when the loop was made.
    ///
    /// The process may raise its own limit afterwards; programs that use `select` cannot bear a high one.
    let programDescriptorLimit: rlim_t
    /// What starts programs whose end is waited for.
    let spawner = Spawner()
    /// How many programs are just being started.
    var spawnCount = 0
    /// The programs that run, or are about to.
    var children: [ChildID: Child] = [:]
    var lastChild: UInt64 = 0
    /// How many programs something else runs for the loop, by what they are counted with.
    var foreignPrograms: [ChildQuota: Int] = [:]
    var deadlines = DeadlineHeap<Deadline>()
    /// The time of the current batch, in nanoseconds of the monotonic clock.
    package internal(set) var time: Int64
    var listeners: [Listener] = []
    /// Why clients are not accepted for the moment.
    var acceptingHolds: AcceptingHold = []
    /// Whether clients may wait at a socket that is gone.
    var hasGivenUpAccepting = false
    /// What else is in the epoll set, by descriptor.
    var guests: [Int32: any LoopGuest] = [:]
    /// What else lives on the loop, one of each type.
    var residents: [ObjectIdentifier: AnyObject] = [:]
    var serviceDeadlines: [ServiceDeadline: DeadlineHeap<Deadline>.ID] = [:]
    /// Who holds how much.
    package let accounts = Accounts()
    /// The connections that have something to do.
    var ready = ReadyList()

    /// Nil while they are in use.
    private var buffers: Buffers? = Buffers()
    private let timer: Descriptor
    private var armedTime = Int64.max
    private var signals: Descriptor?
    private var ending = Ending.notYet
    /// How many things are begun that it does not end before.
    private var obligationCount = 0
    private var stopped: (@Sendable () -> Void)?

    /// Creates a loop that serves nobody yet; it lasts until it is stopped.
    ///
    /// - Parameter label: The name of its queue.
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

    /// The loop on which the caller runs; nil if it runs on none.
    ///
    /// Stages that wait run on the loop that serves their request, and find it so. (The isolation comes as a parameter
    /// because Swift 6.3 releases `#isolation` once too often where a function casts its own.)
    package static func current(isolation: isolated (any Actor)? = #isolation) -> EventLoop? {
        isolation as? EventLoop
    }

    /// How long the current batch of events has taken so far, in nanoseconds.
    package var timeInBatch: Int64 { monotonicTime() - time }

    /// How many deadlines are to come.
    package var deadlineCount: Int { deadlines.count }

    /// The time on a clock that only goes forward, as of the current batch of events.
    package var now: Duration { .nanoseconds(time) }

    /// Takes what is to be served; ``work()`` serves it.
    ///
    /// - Parameters:
    ///   - service: What is served.
    ///   - stopped: Called once, from the loop's queue, when the loop has ended.
    package func run(_ service: any LoopService, stopped: @escaping @Sendable () -> Void) {
        self.service = service
        self.stopped = stopped
    }

    /// Ends the loop: every connection is closed, and nothing is served any more.
    ///
    /// Programs that still run are asked to end, and the loop lasts until they have; a second call kills them.
    package func stop() {
        switch ending {
        case .notYet:
            ending = .closing
            for connection in connections.all { close(connection) }
            listeners = []
            for child in children.values where child.host == nil && !child.isDetached { terminate(child.id) }
            ending = .waiting
            endIfIdle()
        // A service that stops the loop when its last connection closes.
        case .closing: break
        case .waiting: finish()
        case .ended: break
        }
    }

    /// Ends the loop if it is to end and nothing is left to wait for.
    func endIfIdle() {
        if ending == .waiting, !hasOwnChildren, obligationCount == 0 { finish() }
    }

    /// Lets the loop not end before ``endObligation()``, unless it is stopped twice.
    package func beginObligation() { obligationCount += 1 }

    /// Ends what ``beginObligation()`` has begun.
    package func endObligation() {
        obligationCount -= 1
        endIfIdle()
    }

    private func finish() {
        abandonChildren()
        ending = .ended
    }

    /// Whether the loop ends, or has ended.
    package var isEnding: Bool { ending != .notYet }

    /// Lets the loop read signals, which must be blocked in every thread.
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

    /// Hands a signal to the service, as if the process had received it.
    package func handle(signal: Int32) {
        service?.receive(signal: signal, on: self)
    }

    /// Sets a deadline of the service, or takes it back.
    package func setDeadline(_ deadline: ServiceDeadline, after delay: Duration?) {
        replaceDeadline(&serviceDeadlines[deadline], .service(deadline), after: delay)
        // The loop does so itself when it is done with what it is at, if it is at anything.
        if buffers != nil { armTimer() }
    }

    /// Calls a function on the loop once a time has passed.
    ///
    /// - Parameters:
    ///   - delay: The time.
    ///   - body: The function; if the loop ends before, it is not called.
    /// - Returns: What takes the call back.
    package func call(after delay: Duration, _ body: @escaping () -> Void) -> DelayedCall {
        let id = deadlines.add(.call(body), at: time + nanoseconds(delay))
        if buffers != nil { armTimer() }
        return DelayedCall(id: id)
    }

    /// Takes a call back; one that has been made is let be.
    package func cancel(_ call: DelayedCall) {
        deadlines.cancel(call.id)
    }

    private func end(isLast: Bool) {
        if isLast { executor.runLastJobs() } else { executor.endWatch() }
        _ = xcb_close(poller.descriptor)
        service = nil
        guests = [:]
        residents = [:]
        ready.removeAll()
        while deadlines.takeDue(at: .max) != nil {}
        stopped?()
        stopped = nil
    }
}

/// Names a call that the loop is going to make.
package struct DelayedCall: Sendable {
    let id: DeadlineHeap<EventLoop.Deadline>.ID
}

// MARK: - Waiting for events

extension EventLoop {
    /// Lets a worker of the queue be the loop's thread.
    package nonisolated func start() {
        executor.async { self.assumeIsolated { $0.work(isLast: false) } }
    }

    /// Lets jobs wait for ``workHere()`` from now on, which must follow: without it they are left to the queue, and a
    /// thread that has the queue does not get out of it until the system has another one for them.
    package nonisolated func expectWork() { executor.expectWatch() }

    /// Lets the calling thread be the loop's until the loop has ended; nothing can be done on the loop after that.
    package nonisolated func workHere() {
        sync { $0.work(isLast: true) }
    }

    /// Does something on the loop before it works.
    package nonisolated func sync(_ body: @Sendable (isolated EventLoop) throws -> Void) rethrows {
        try executor.sync { try assumeIsolated { try body($0) } }
    }

    /// Serves until the loop has ended.
    ///
    /// - Parameter isLast: Whether nothing can be done on the loop after that.
    private func work(isLast: Bool) {
        executor.beginWatch()
        // The buffers are a local value meanwhile, so that their use costs no check of exclusive access.
        if var buffers = buffers.take() {
            while ending != .ended { handleEvents(&buffers) }
        }
        end(isLast: isLast)
    }

    /// Handles what has happened, or waits for something; then lets connections have their turns for a while.
    private func handleEvents(_ buffers: inout Buffers) {
        let blocks = ready.isEmpty
        if blocks { armTimer() }
        let count: Int
        do {
            count = try poller.wait(into: &buffers.events, blocks: blocks)
        } catch {
            // No input comes here: the arguments are constant, and the set is closed only after the loop has ended.
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

    /// Handles an event; a connection waits for its turn unless it is alone.
    private func handle(_ event: epoll_event, isAlone: Bool, _ buffers: inout Buffers) {
        let number = event.data.u64
        guard number < Member.jobs.rawValue else {
            switch Member(rawValue: number) {
            case .jobs: executor.runJobs()
            case .timer: readTimer()
            case .signals: readSignals()
            case .listener: acceptConnections(from: .listener)
            case .agentListener: acceptConnections(from: .agentListener)
            case nil: proceedGuest(member: number)
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
            case .accepting: resumeAccepting(for: .failure)
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

    /// Sets the timer if the next deadline comes before the time that it is set to.
    private func armTimer() {
        guard let next = deadlines.nextTime, next < armedTime else { return }
        var setting = itimerspec()
        setting.it_value.tv_sec = Int(next / 1_000_000_000)
        setting.it_value.tv_nsec = Int(next % 1_000_000_000)
        // It cannot fail: the descriptor is a timer and the time is valid.
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

    /// Puts another deadline in the place of one.
    func replaceDeadline(
        _ id: inout DeadlineHeap<Deadline>.ID?, _ deadline: Deadline, after delay: Duration?
    ) {
        if let old = id.take() { deadlines.cancel(old) }
        if let delay { id = deadlines.add(deadline, at: time + nanoseconds(delay)) }
    }
}
