import CLinux
import Glibc
import XCallbackEventLoop
import XCallbackTesting

/// What a simulated daemon lives in: its kernel, its clients, and the time.
///
/// All of it happens in one thread. The daemon calls, and with each call the world may go on for a bit: the next event
/// of the scenario comes, bytes arrive in pieces, a program ends, another queue does its work. What happens when is
/// decided by numbers that follow from the seed of the scenario, so that a scenario is the same each time.
final class World {
    /// A fault of the kernel, injected now and then so that the checks have something to find.
    enum InjectedFault: String, CaseIterable {
        /// Bytes that were sent never arrive.
        case losesAnswers = "loses-answers"
        /// Bytes that were sent arrive twice.
        case repeatsAnswers = "repeats-answers"
        /// Bytes that were sent arrive on another connection.
        case misdirectsAnswers = "misdirects-answers"
        /// A timer that was set never expires.
        case losesTimers = "loses-timers"
        /// A wake-up of the loop by another queue (eventfd) is lost.
        case losesWakeups = "loses-wakeups"
        /// A signal that asks for a reload is lost.
        case losesReloads = "loses-reloads"
        /// The end of a program is never reported (pidfd).
        case losesExits = "loses-exits"
        /// A signal for a program is lost.
        case losesSignals = "loses-signals"
        /// A line that a program writes comes from another one.
        case misdirectsLines = "misdirects-lines"
        /// The progress that a receiver reports names another request.
        case misdirectsProgress = "misdirects-progress"
        /// A descriptor that was closed stays open.
        case keepsDescriptors = "keeps-descriptors"
    }

    /// Something that a kernel can be out of.
    enum Supply: String, CaseIterable {
        case descriptor, file, pipe, process, handle, thread
    }

    /// How many times a daemon may wait until it is taken to run in circles.
    private static let waitLimit = 10_000

    let scenario: Scenario
    /// What happens next, as long as the scenario lasts.
    var events: ArraySlice<Scenario.Event>
    var random: SeededGenerator
    /// The monotonic clock, in nanoseconds.
    private(set) var time: Int64 = 1_000_000_000_000

    // The kernel.
    private(set) var descriptors: [Int32: SimulatedDescriptor] = [:]
    let signals = SimulatedSignals()
    let timer = SimulatedTimer()
    /// The connections that were not accepted yet; nil where nobody listens.
    var backlog: [SimulatedSocket]? = []
    /// The descriptor of the socket that listens, which is real.
    private var listener: Int32 = -1
    /// The work of other queues that waits for a thread.
    var work: [() -> Void] = []
    /// Whether some of it was not done, or its outcome not taken, when the loop has ended.
    var hasLeftWork = false
    var processes: [SimulatedProcess] = []
    /// When a queue got no thread last.
    private(set) var refusedThreadTime: Int64 = 0
    /// How many of the next calls are refused, by what they need.
    var refusals: [Supply: Int] = [:]

    // The clients.
    var clients: [SimulatedClient] = []
    var ledger = Ledger()
    /// How far the scenario has come with its end.
    var ending = Ending.scenario
    var abortCount = 0
    /// From where on descriptors have their numbers; those of real files are below.
    private static let firstNumber: Int32 = 1 << 20
    /// The number after the highest one.
    private var nextNumber = firstNumber
    /// The hashes of the routes that the router of a program server has loaded.
    var fingerprints: [String: UInt64] = [:]
    /// What the next reload finds.
    var nextConfiguration = Scenario.Configuration.all
    /// The daemon's loop, while it lasts.
    var loop: EventLoop?
    /// Who holds how much; it outlives the loop.
    var accounts: Accounts?
    var timerCount: Int? { loop.map { loop in loop.assumeIsolated { $0.deadlineCount } } }

    /// What is wrong; nil as long as nothing is.
    private(set) var fault: String?
    /// Whether everything that happens is printed.
    var isVerbose = false
    /// The fault of this kernel; nil if it has none.
    var injected: InjectedFault?
    private var waitCount = 0
    /// The number of the wait after which the loop has taken jobs last.
    private var jobWaitCount = 0
    /// Whether the loop takes jobs in this turn.
    var takesJobs: Bool { jobWaitCount == waitCount }
    /// A number that two runs of a scenario have in common, if they are the same.
    private(set) var fingerprint: UInt64 = 0

    init(of scenario: Scenario) {
        self.scenario = scenario
        events = scenario.events[...]
        random = SeededGenerator(seed: scenario.seed ^ 0x5157_0F1A)
    }

    /// Notes that something happens.
    func note(_ text: @autoclosure () -> String, _ number: Int = 0) {
        fingerprint = (fingerprint ^ UInt64(truncatingIfNeeded: number) ^ UInt64(bitPattern: time)) &* 0x100_0000_01B3
        guard isVerbose else { return }
        print("\(Double(time - 1_000_000_000_000) / 1e9): \(text())")
        // The next thing may end the process.
        fflush(nil)
    }

    /// Notes what is wrong; the first fault counts, and ends the scenario.
    func fail(_ text: @autoclosure () -> String) {
        guard fault == nil else { return }
        fault = text()
        note("FAULT: \(fault ?? "")")
        ending = .aborted
    }

    /// One of the numbers from 0 up to a bound.
    func below(_ bound: Int) -> Int { random.below(bound) }

    /// Whether something happens that does in one of so many cases.
    func isOneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// Whether the kernel has a fault, and it shows this time.
    func injects(_ fault: InjectedFault, oneIn count: Int) -> Bool {
        guard injected == fault, ending != .aborted, isOneIn(count) else { return false }
        note("injected: \(fault.rawValue)")
        return true
    }
}

// MARK: - Time and waiting

extension World {
    func readClock(_ clock: clockid_t) -> timespec {
        // Each look takes a moment; now and then somebody else has had the processor.
        time += isOneIn(200) ? 700_000 : Int64(below(2_000))
        let shown = clock == CLOCK_REALTIME ? time + 1_700_000_000_000_000_000 : time
        return timespec(tv_sec: Int(shown / 1_000_000_000), tv_nsec: Int(shown % 1_000_000_000))
    }

    /// Lets a time pass.
    func pass(_ nanoseconds: Int64) { time += nanoseconds }

    /// Does what `epoll_wait` does, and lets things happen meanwhile.
    func wait(on set: Int32, into events: UnsafeMutableBufferPointer<epoll_event>, blocks: Bool) -> Int {
        guard let set = descriptors[set] as? SimulatedSet else { return closed(set) }
        // A process that was stopped and goes on has waited in vain.
        if blocks, isOneIn(200) { return failure(EINTR) }
        waitCount += 1
        if waitCount > Self.waitLimit { fail("the daemon does not come to rest") }
        checkAccounts()
        for _ in 0..<below(4) { goOn() }
        // A deadline that comes while something else happens.
        if isOneIn(40), let next = timer.time, next - time < 60_000_000_000 { time = max(time, next) }
        while true {
            let count = collect(from: set, into: events)
            if count > 0 || !blocks { return count }
            if goOn() { continue }
            if let next = nextTime {
                checkRest()
                time = max(time, next)
                note("time passes until a deadline")
            } else if !endNext() {
                // Nothing can wake this daemon any more: only the end of the process helps.
                fail("the daemon waits for ever")
                abandon()
            }
        }
    }

    /// When something happens by itself: a deadline of the daemon, or a client does something.
    private var nextTime: Int64? {
        clients.compactMap { $0.isDone ? nil : $0.nextTime(in: self) }.reduce(timer.time) { min($0 ?? $1, $1) }
    }

    /// Collects what is ready, in any order, and not always all of it.
    private func collect(
        from set: SimulatedSet, into events: UnsafeMutableBufferPointer<epoll_event>
    ) -> Int {
        // Two of them end every daemon.
        if ending == .aborted { signals.pending = [SIGTERM] }
        var found: [epoll_event] = []
        for member in set.members {
            let isListener = member.number == listener
            let readiness = isListener ? listenerReadiness : descriptors[member.number]?.readiness(at: time)
            let always = EPOLLHUP.rawValue | EPOLLERR.rawValue
            let events = (readiness?.rawValue ?? 0) & (member.event.events | always)
            if events != 0 { found.append(epoll_event(events: events, data: member.event.data)) }
        }
        if found.isEmpty { return 0 }
        found.shuffle(using: &random)
        let count = min(isOneIn(3) ? 1 + below(found.count) : found.count, events.count)
        for index in 0..<count { events[index] = found[index] }
        note("\(count) of \(found.count) events", count)
        return count
    }

    /// A socket that takes no connections any more is always ready.
    private var listenerReadiness: EPOLL_EVENTS {
        backlog?.isEmpty ?? true && ledger.listens ? EPOLL_EVENTS(0) : EPOLLIN
    }

    /// Lets one thing happen; false if nothing can.
    @discardableResult
    func goOn() -> Bool {
        var choices: [() -> Void] = []
        if !work.isEmpty { choices.append { [self] in doWork() } }
        for process in processes where process.canProceed {
            choices.append { [self] in
                note("a program goes on", Int(process.id))
                let others = processes.filter { $0 !== process && $0.errors != nil }
                let isWrong = injects(.misdirectsLines, oneIn: 3)
                process.proceed(reportingTo: isWrong ? others.last?.errors : process.errors)
            }
        }
        for client in clients { choices += client.choices(in: self) }
        if let event = events.first {
            choices.append { [self] in
                events.removeFirst()
                note("\(event)", events.count)
                perform(event)
            }
        }
        if choices.isEmpty { return false }
        choices[below(choices.count)]()
        return true
    }

    /// Does some work of another queue.
    func doWork() {
        if work.isEmpty { return }
        note("other queues work", work.count)
        work.remove(at: below(work.count))()
    }

    /// Notes that a queue got no thread; what it refuses may be a reload, which then does not happen.
    func noteRefusedThread() {
        nextConfiguration = ledger.configurations.lastRead
        refusedThreadTime = time
    }

    /// Notes that the loop takes the jobs that others have announced.
    func noteJobs() { jobWaitCount = waitCount }

    /// Does all work of other queues.
    func finishWork() {
        while !work.isEmpty { doWork() }
    }
}

// MARK: - Descriptors

extension World {
    /// Adds a descriptor under the lowest number that is free, as the system does, or under one that was not used before,
    /// so that it is seen when something uses an old one.
    func add(_ descriptor: SimulatedDescriptor) -> Int32 {
        var number = isOneIn(2) ? Self.firstNumber : nextNumber
        while descriptors[number] != nil { number += 1 }
        nextNumber = max(nextNumber, number + 1)
        descriptors[number] = descriptor
        return number
    }

    /// Closes a descriptor; false if it is a real one.
    func closeSimulated(_ number: Int32) -> Bool {
        if number == listener {
            listener = -1
            endListening()
        }
        guard number >= Self.firstNumber else { return false }
        if injects(.keepsDescriptors, oneIn: 100) { return true }
        guard let descriptor = descriptors.removeValue(forKey: number) else {
            fail("descriptor \(number - Self.firstNumber) is closed twice")
            return true
        }
        descriptor.close()
        for case let set as SimulatedSet in descriptors.values { set.forget(number) }
        return true
    }

    /// Fails a call with a descriptor that is closed, which is a fault of the daemon.
    func closed(_ number: Int32) -> Int {
        // A task of the daemon before may still name what went with it.
        if number >= Self.firstNumber { fail("descriptor \(number - Self.firstNumber) is used though it is closed") }
        return failure(EBADF)
    }

    private func endListening() {
        for socket in backlog ?? [] { socket.close() }
        backlog = nil
    }

    func control(_ set: Int32, _ operation: Int32, _ number: Int32, _ event: epoll_event) -> Int {
        guard let set = descriptors[set] as? SimulatedSet else { return closed(set) }
        if number < Self.firstNumber {
            listener = number
        } else {
            guard descriptors[number] != nil else { return closed(number) }
            if operation == EPOLL_CTL_ADD, isRefused(.handle) {
                // Without it the daemon cannot hear of a connection.
                (descriptors[number] as? SimulatedSocket)?.isUnheard = true
                return failure(ENOMEM)
            }
        }
        return set.control(operation, number, event)
    }

    /// Does what `poll` does without waiting.
    func look(at member: inout pollfd) -> Int {
        guard let descriptor = descriptors[member.fd] else { return closed(member.fd) }
        let always = EPOLLHUP.rawValue | EPOLLERR.rawValue
        let wanted = UInt32(UInt16(bitPattern: member.events)) | always
        member.revents = Int16(truncatingIfNeeded: descriptor.readiness(at: time).rawValue & wanted)
        return member.revents == 0 ? 0 : 1
    }

    /// Whether a call is refused, because the kernel is out of something.
    func isRefused(_ resource: Supply) -> Bool {
        guard let count = refusals[resource], count > 0 else { return false }
        refusals[resource] = count - 1
        note("no \(resource)")
        return true
    }

    /// Fills memory with numbers that nobody could guess, if they did not follow from the seed.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: random.next()) }
    }
}

// MARK: - Connections

extension World {
    func socket(_ number: Int32) -> SimulatedSocket? { descriptors[number] as? SimulatedSocket }

    func accept() -> Int {
        // The system takes a descriptor before it looks whether somebody waits.
        if isRefused(.descriptor) {
            ledger.hasRefused = ledger.hasRefused || ledger.stopCount > 0
            return failure([EMFILE, ENFILE, ENOMEM, ENOBUFS][below(4)])
        }
        guard let socket = backlog?.first else { return failure(backlog == nil ? EINVAL : EAGAIN) }
        backlog?.removeFirst()
        let number = add(socket)
        socket.acceptedTime = time
        note("a connection is accepted", Int(number))
        return Int(number)
    }

    func receive(from number: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let socket = socket(number) else { return closed(number) }
        if isOneIn(8) { doWork() }
        let count = socket.receive(buffer)
        note("\(count) bytes are read from \(number)", count)
        return count
    }

    func send(_ buffer: UnsafeRawBufferPointer, to number: Int32) -> Int {
        guard let socket = socket(number) else { return closed(number) }
        if isOneIn(8) { doWork() }
        if injects(.losesAnswers, oneIn: 100) { return buffer.count }
        if injects(.misdirectsAnswers, oneIn: 100), let other = otherSocket(than: socket) {
            _ = other.send(buffer, atMost: .max)
            return buffer.count
        }
        let count = socket.send(buffer, atMost: isOneIn(8) ? 1 + below(40) : .max)
        if injects(.repeatsAnswers, oneIn: 100) { _ = socket.send(buffer, atMost: max(count, 0)) }
        note("\(count) of \(buffer.count) bytes are sent to \(number)", count)
        return count
    }

    private func otherSocket(than socket: SimulatedSocket) -> SimulatedSocket? {
        clients.map(\.socket).first { $0 !== socket && !$0.isOver }
    }

    func shutdown(_ number: Int32, _ how: Int32) -> Int {
        if number == listener {
            // Who has connected is still accepted.
            ledger.listens = false
            return 0
        }
        return socket(number)?.shutdown(how) ?? closed(number)
    }
}
