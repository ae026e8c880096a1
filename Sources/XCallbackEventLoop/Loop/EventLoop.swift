import CLinux
import Dispatch
import Glibc
package import XCallbackLinux

/// Waits for events of descriptors, and handles them, all on one serial queue.
///
/// One epoll set contains the listening sockets, the connections, an eventfd for jobs of other threads, a timerfd and a
/// signalfd. The loop is a single block on its queue, which returns when the loop has ended.
package actor EventLoop {
    /// How long connections get turns before the loop checks for events again, in nanoseconds.
    private static let roundTime: Int64 = 1_000_000
    /// How long answers wait for others, in nanoseconds.
    private static let answerTime: Int64 = 100_000
    /// The maximum number of events per call.
    private static let batchSize = 256
    /// The maximum number of bytes of a read.
    private static let readSize = 65_536

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

    /// Buffers that all connections and programs use in turn.
    struct Buffers {
        var events = Array(repeating: epoll_event(), count: EventLoop.batchSize)
        /// Only the kernel writes to it, so that pages that no client has filled use no memory.
        var input = [UInt8](unsafeUninitializedCapacity: EventLoop.readSize) { $1 = $0.count }
        var outbox = Outbox()
    }

    package nonisolated let executor: QueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    // `@exclusivity(unchecked)` saves a sixth of the instructions of a request. It stands at nine properties of the loop, of
    // connections and of accounts: only the loop's thread uses them, and what changes one calls nothing that uses it.

    let poller: Poller
    var deadlines: Deadlines
    private var signals: Signals?
    var acceptor = Acceptor()
    @exclusivity(unchecked) var connections = ConnectionTable()
    /// The connections with pending work.
    @exclusivity(unchecked) var ready = ReadyList()
    var children: Children
    /// The accounts and their use of resources.
    package let accounts = Accounts()
    /// How long clients may take for their input; a change of the first limit affects later clients only.
    package var inputLimits = InputLimits()
    package private(set) var service: (any LoopService)?
    /// The time of the current turn, in nanoseconds of the monotonic clock.
    @exclusivity(unchecked) package private(set) var time: Int64
    /// The time at which the current batch of events was received.
    @exclusivity(unchecked) package private(set) var batchTime: Int64 = 0
    /// Nil while in use.
    private var buffers: Buffers? = Buffers()
    private var ending = Ending.notYet

    /// Creates a loop without a service; it runs until it is stopped.
    ///
    /// - Parameter label: The name of the queue.
    /// - Throws: ``SystemError`` if the system is out of descriptors.
    package init(label: String) throws(SystemError) {
        let executor = try QueueExecutor(label: label)
        let deadlines = try Deadlines()
        let poller = try Poller()
        do throws(SystemError) {
            try poller.add(executor.announcements.number, .readable, as: Member.jobs.rawValue)
            try poller.add(deadlines.descriptor, .readable, as: Member.timer.rawValue)
        } catch {
            _ = xcb_close(poller.descriptor)
            throw error
        }
        self.executor = executor
        self.deadlines = deadlines
        self.poller = poller
        children = Children()
        time = monotonicTime()
    }

    /// Sets the time of the current turn.
    ///
    /// - Returns: The time.
    @discardableResult
    package func readClock() -> Int64 {
        time = monotonicTime()
        return time
    }

    /// The time of the current turn, on a monotonic clock.
    package var now: Duration { .nanoseconds(time) }

    // MARK: - Start and end

    /// Sets the service of the loop.
    package func setService(_ service: any LoopService) {
        self.service = service
    }

    /// Reads signals in the loop; they must be blocked in all threads.
    ///
    /// - Throws: ``SystemError`` if the system is out of descriptors.
    package func watchSignals(_ numbers: [Int32]) throws(SystemError) {
        let signals = try Signals(numbers)
        try poller.add(signals.descriptor, .readable, as: Member.signals.rawValue)
        self.signals = consume signals
    }

    /// Passes a signal to the service, as if the process had received it.
    package func handle(signal: Int32) {
        service?.receive(signal: signal, on: self)
    }

    /// Runs the loop on a thread of the queue.
    ///
    /// - Parameter stopped: Called once from the loop's queue when the loop has ended.
    package nonisolated func start(stopped: @escaping @Sendable () -> Void = {}) {
        executor.async {
            self.assumeIsolated { $0.work(isLast: false) }
            stopped()
        }
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

    /// Ends the loop: all connections are closed, and the service stops.
    ///
    /// Running programs get SIGTERM, and the loop continues until they have ended; a second call kills them.
    package func stop() {
        switch ending {
        case .notYet:
            ending = .closing
            for connection in connections.all { close(connection) }
            acceptor.listeners = []
            terminateChildren()
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
        if ending == .waiting, !children.areAwaited { finish() }
    }

    private func finish() {
        abandonChildren()
        ending = .ended
    }

    /// Whether the loop is ending or has ended.
    package var isEnding: Bool { ending != .notYet }

    private func end(isLast: Bool) {
        if isLast { executor.runLastJobs() } else { executor.endWatch() }
        _ = xcb_close(poller.descriptor)
        service = nil
        ready.removeAll()
        while deadlines.takeDue(at: .max) != nil {}
    }

    // MARK: - The loop

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
        if blocks { deadlines.armTimer() }
        let count: Int
        do {
            count = try poller.wait(into: &buffers.events, blocks: blocks)
        } catch {
            // Unreachable for any input: the arguments are constant, and the set is closed only after the loop has ended.
            preconditionFailure("the loop's own epoll set is broken: \(error)")
        }
        time = monotonicTime()
        batchTime = time
        for index in 0..<count { handle(buffers.events[index], &buffers) }
        takeTurns(&buffers)
        handleDeadlines(&buffers)
        service?.batchEnded(on: self)
    }

    /// Gives turns to connections for a while, and sends their answers.
    private func takeTurns(_ buffers: inout Buffers) {
        var sendTime = time
        while !ready.isEmpty, time < batchTime + Self.roundTime {
            let start = time
            if let connection = ready.next() {
                if connection.state != .closed { takeTurn(connection, &buffers) }
            } else {
                doNextWork()
            }
            // After a lone request, the time does not matter.
            if ready.isEmpty { break }
            if time == start { readClock() }
            if buffers.outbox.isFull || time - sendTime > Self.answerTime {
                sendAnswers(&buffers.outbox)
                sendTime = time
            }
        }
        sendAnswers(&buffers.outbox)
    }

    /// Handles an event; a connection waits for its turn.
    private func handle(_ event: epoll_event, _ buffers: inout Buffers) {
        let number = event.data.u64
        if number >= Member.jobs.rawValue, let member = Member(rawValue: number) { return handle(member) }
        if let event = ChildEvent(rawValue: number) { return handle(event, &buffers.input) }
        guard let connection = connections[ConnectionID(rawValue: number)] else { return }
        connection.turn.events = Poller.Events(rawValue: event.events)
        ready.add(connection)
    }

    private func handle(_ member: Member) {
        switch member {
        case .jobs: executor.runJobs()
        case .timer: deadlines.readTimer()
        case .signals: while let signal = signals?.next() { handle(signal: signal) }
        case .listener, .agentListener: acceptConnections(from: member)
        }
    }

    /// Sets the timer; during a batch, the loop does so itself at the end.
    func armTimer() {
        if buffers != nil { deadlines.armTimer() }
    }
}
