import Glibc
import XCallbackEventLoop

extension World {
    /// How far a scenario has come with its end.
    enum Ending {
        /// Its events happen.
        case scenario
        /// All clients are about to disconnect.
        case leaving
        /// The daemon was told to stop.
        case stopping
        /// The daemon has ended.
        case over
        /// Something is wrong: nothing else counts.
        case aborted
    }

    /// The daemon's own user, and one that every system has.
    var ownID: UInt32 { geteuid() }
    private var otherID: UInt32 { 65_534 }

    /// Lets an event happen.
    func perform(_ event: Scenario.Event) {
        switch event {
        case .connect(let kind, let number, let isOwn, let isNarrow):
            // The output of a program comes in one reply.
            let room = kind == .router ? 40_000 : 400
            connect(kind, number, isOwn ? ownID : otherID, room: isNarrow ? room : 200_000)
        case .ask(let number, let kinds):
            switch client(number) {
            case let client as LineClient: client.ask(kinds, in: self)
            case let client as ReceivingClient: client.isPaused = false
            // It is answered when the stream has ended.
            case let client as WatchingClient: client.open(.now, origin: "socket", in: self)
            case let client as VarlinkClient where client.isFree:
                let isFromDesktop = isOneIn(3)
                for kind in kinds.prefix(20) {
                    client.open(kind, origin: isFromDesktop ? "desktop" : "socket", in: self)
                }
            default: break
            }
        case .inspect(let number, let inspection):
            guard let client = client(number) as? VarlinkClient, client.isFree else { return }
            client.inspect(inspection, in: self)
        case .passDescriptors(let number):
            if !scenario.kernelRefusesDescriptors { client(number)?.socket.passedCount += 1 + below(3) }
        case .pause(let number): if !(client(number) is ReceivingClient) { client(number)?.isPaused = true }
        case .read(let number): client(number)?.isPaused = false
        case .end(let number): client(number)?.isEnding = true
        case .leave(let number): client(number)?.leave(in: self)
        case .reload(let configuration):
            nextConfiguration = configuration
            if !injects(.losesReloads, oneIn: 5) { signals.pending.append(SIGHUP) }
        case .terminate: terminate()
        case .pass(let milliseconds): pass(Int64(milliseconds) * 1_000_000)
        case .refuse(let resource, let count): refusals[resource] = count
        }
    }

    private func client(_ number: Int) -> SimulatedClient? { clients.first { $0.number == number && !$0.isDone } }

    private func terminate() {
        signals.pending.append(SIGTERM)
        ledger.stopCount += 1
        ledger.stopTime = min(ledger.stopTime, time)
    }

    /// Opens a connection; nil if nobody listens.
    private func openSocket(_ userID: UInt32, room: Int = 200_000) -> SimulatedSocket? {
        guard backlog != nil, ledger.listens else { return nil }
        let socket = SimulatedSocket(of: userID, room: room)
        backlog?.append(socket)
        return socket
    }

    private func connect(_ kind: Scenario.Client, _ number: Int, _ userID: UInt32, room: Int) {
        guard let socket = openSocket(userID, room: room) else { return }
        switch kind {
        case .lines: clients.append(LineClient(number, socket, in: self))
        case .varlink: clients.append(VarlinkClient(number, socket, in: self))
        case .receiver: receive(as: "worker", number, over: socket)
        case .lateReceiver: receive(as: "late", number, over: socket)
        case .subscriber, .monitor:
            let client = WatchingClient(number, socket, in: self)
            clients.append(client)
            if kind == .subscriber { client.subscribe(in: self) } else { client.monitor(in: self) }
        case .router: clients.append(RouterClient(number, socket, in: self))
        case .caller:
            let client = CallingClient(number, socket, in: self)
            clients.append(client)
            client.call(timeout: 1 + below(5), answers: !isOneIn(3), in: self)
        }
    }

    private func receive(as name: String, _ number: Int, over socket: SimulatedSocket) {
        guard let other = openSocket(socket.userID) else { return }
        let responder = VarlinkClient(number + 1_000, other, in: self)
        let receiver = ReceivingClient(
            number, socket, responder: responder, prefetch: isOneIn(3) ? 2 : 1, in: self)
        clients += [receiver, responder]
        receiver.receive(as: name, in: self)
    }

    /// Lets a program that was started for it receive, or not.
    func connectStartedReceiver(as name: String) {
        guard !isOneIn(3), let socket = openSocket(ownID) else { return }
        receive(as: name, 4_000 + clients.count, over: socket)
    }

    /// Lets an application answer a call, on a connection of its own.
    func answer(_ ask: Ask, at callback: String) {
        guard let socket = openSocket(ownID) else { return }
        let application = LineClient(2_000 + clients.count, socket, in: self)
        // Some answer twice.
        for _ in 0..<(isOneIn(5) ? 2 : 1) {
            application.send(callback) { [self] answer in
                guard answer == "xcallback://x-callback-url/success" else { return }
                if ask.isReturned { fail("two answers to a call are taken") }
                ask.isReturned = true
            }
        }
        application.isEnding = true
        clients.append(application)
    }

    /// Begins the next part of the end, as nothing else can happen; false if there is none.
    func endNext() -> Bool {
        checkRest()
        switch ending {
        case .scenario:
            ending = .leaving
            note("all clients end")
            _ = endClients()
        case .leaving:
            // A program may have connected since.
            if endClients() || endDetachedPrograms() { return true }
            if scenario.isOfProgramServer, !clients.isEmpty {
                fail("the program server has neither a client nor a program, and stays")
            }
            if let client = clients.first(where: { !$0.isDone }) {
                fail("client \(client.number) has ended, and the daemon keeps its connection")
            }
            checkNothingIsLeft()
            ending = .stopping
            terminate()
        case .stopping, .over, .aborted: return false
        }
        return true
    }

    /// Lets clients disconnect, or send nothing more; false if all do.
    private func endClients() -> Bool {
        let lasting = clients.filter { !$0.isDone && (!$0.isEnding || $0.isPaused || $0.isStream) }
        for client in lasting {
            client.isPaused = false
            client.isEnding = true
            // A stream has no end of its own.
            if client.isStream { client.leave(in: self) }
        }
        return !lasting.isEmpty
    }

    /// Ends the programs that nobody else ends; false if there is none.
    private func endDetachedPrograms() -> Bool {
        let running = processes.filter { $0.isDetached && !$0.hasEnded }
        for process in running { process.receive(signal: SIGKILL) }
        return !running.isEmpty
    }

    /// Gives a daemon up that does not end.
    func abandon() {
        print("\(fault ?? "") (and the daemon does not end)")
        exit(1)
    }
}

// MARK: - Checks

extension World {
    /// Checks that no account holds less than nothing.
    func checkAccounts() {
        if ending == .aborted {
            abortCount += 1
            if abortCount > 100 { abandon() }
            return
        }
        guard let accounts else { return }
        for account in accounts.all(at: .min) {
            for resource in Resource.allCases where account[resource] < 0 {
                fail("\(account.name) holds \(account[resource]) \(resource.setting)")
            }
        }
    }

    /// Whether descriptors that were passed still wait for a thread that closes them.
    private var mayBeClosing: Bool { time - refusedThreadTime < 5_000_000_000 }

    /// Checks what has to hold whenever the daemon has nothing to do but to wait.
    func checkRest() {
        guard let accounts, work.isEmpty, ending != .aborted else { return }
        let openCount = descriptors.values.count { $0 is SimulatedSocket }
        let isClosing = mayBeClosing && accounts[.connections] > openCount
        if accounts[.connections] != openCount, !isClosing {
            fail("the accounts hold \(accounts[.connections]) connections, and there are \(openCount)")
        }
        // What a receiver still works on counts, too.
        let answeredCount = clients.reduce(0) { $0 + (($1 as? ReceivingClient)?.answeredCount ?? 0) }
        let requestCount = ledger.asks.values.count { $0.outcome == nil } + answeredCount
        if accounts[.requests] > requestCount {
            fail("the accounts hold \(accounts[.requests]) requests, and there are at most \(requestCount)")
        }
        if ledger.stopCount > 0 { return }
        if ledger.configurations.lastRead != nextConfiguration {
            fail("the daemon was told to reload \(nextConfiguration) routes, and has not")
        }
        ledger.configurations.settle()
        for client in clients where !client.isDone { client.checkRest(in: self) }
    }

    /// Checks that nothing is left of anything, once all clients have gone and all time has passed.
    func checkNothingIsLeft() {
        guard ending != .aborted else { return }
        for account in accounts?.all(at: .max) ?? [] {
            for resource in Resource.allCases where account[resource] != 0 {
                fail("nobody is there, and \(account.name) holds \(account[resource]) \(resource.setting)")
            }
        }
        if let process = processes.first(where: { !$0.isReaped }) { fail("program \(process.id) was not waited for") }
        if let count = timerCount, count > 0 { fail("nobody is there, and \(count) deadlines are left") }
        // A set, a timer, the signals, and the announcements of jobs.
        if descriptors.count != 4 { fail("nobody is there, and \(descriptors.count - 4) descriptors are left") }
    }

    /// Notes what the loop has left when it ends: work of others, and jobs that it cannot do any more.
    func loopEnded(saysLoss: Bool) {
        ledger.saysLoss = saysLoss
        let announced = descriptors.values.contains { ($0 as? SimulatedCounter)?.value ?? 0 > 0 }
        hasLeftWork = announced || takesJobs || !work.isEmpty
    }

    /// Checks what has to hold once the daemon has ended.
    func checkEnd() {
        ending = ending == .aborted ? .aborted : .over
        events = []
        // The end of the process closes what a task still holds that waits for another queue.
        for case let socket as SimulatedSocket in descriptors.values { socket.close() }
        for client in clients { client.isPaused = false }
        while fault == nil, goOn() {}
        if fault != nil { return }
        if ledger.stopCount == 0, !scenario.isOfProgramServer { fail("the daemon has ended by itself") }
        if ledger.hasLost, !ledger.saysLoss { fail("a client has no answer, and the daemon does not say so") }
        let hadTime = ledger.stopCount == 1 && !ledger.isDrainOver(at: time)
        if ledger.saysLoss, hadTime, !ledger.hasRefused {
            fail("the daemon says that clients have no answers, and had the time to give them")
        }
        // Detached ones are let be.
        if let process = processes.first(where: { !$0.isReaped && !$0.isDetached }) {
            fail("the daemon has ended, and program \(process.id) was not waited for")
        }
        for account in accounts?.all(at: .max) ?? [] {
            for resource in Resource.ofSessions where account[resource] != 0 {
                fail("the daemon has ended, and \(account.name) holds \(account[resource]) \(resource.setting)")
            }
        }
        // A task that waits for another queue cannot go on, and keeps the loop until the process ends.
        if hasLeftWork, descriptors.values.contains(where: { $0 is SimulatedTimer }) { return }
        // Accounts know the connections that had something to do.
        accounts = nil
        if !descriptors.isEmpty, !mayBeClosing {
            fail("the daemon has ended, and \(descriptors.count) descriptors are left")
        }
    }
}

extension Resource {
    /// What goes with its connection.
    fileprivate static let ofSessions: [Resource] = [.requests, .streams, .bytes]
}
