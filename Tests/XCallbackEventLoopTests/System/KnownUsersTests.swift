import Dispatch
import Synchronization
import TestSupport
import Testing
import XCallbackEventLoop
import XCallbackLinux

@Suite(.timeLimit(.minutes(10)))
struct KnownUsersTests {
    private let database = SlowDatabase()
    private let programs: ProgramLoop
    /// Lives on the loop.
    nonisolated(unsafe) private let users: KnownUsers

    init() throws {
        programs = try ProgramLoop()
        users = KnownUsers { [database] in database.query($0) }
    }

    @Test func theLoopGoesOnDuringAQuery() async {
        database.answer { _ in true }
        database.block()
        expect(await known([1, 2]), equals: [])
        await database.queryHasBegun()
        expect(await known([1, 2]), equals: [])
        #expect(database.queries == [1])
        database.release()
        await finish()
        expect(await known([1, 2, 3]), equals: [1, 2])
    }

    @Test func fewWaitAndOneIsAskedForAtATime() async {
        database.block()
        expect(await known(Array(1...65_536)), equals: [])
        expect(await known(Array(1...65_536)), equals: [])
        database.release()
        await finish()
        #expect(database.queries == Array(1...64))
        #expect(database.mostAtATime == 1)
    }

    @Test func anAnswerIsKeptUntilAResetUnlessItIsUncertain() async {
        for _ in 0..<2 { await ask(for: [1, 2]) }
        #expect(database.queries == [1, 2])
        await programs.loop.perform { _ in users.reset() }
        database.answer { _ in nil }
        for _ in 0..<2 { await ask(for: [1]) }
        #expect(database.queries == [1, 2, 1, 1])
    }

    @Test func anAnswerFromBeforeAResetIsNotKept() async {
        database.block()
        expect(await known([1]), equals: [])
        await database.queryHasBegun()
        database.answer { _ in true }
        await programs.loop.perform { _ in users.reset() }
        database.release()
        await finish()
        #expect(database.queries == [1, 1])
        expect(await known([1]), equals: [1])
    }

    @Test func unknownUsersAreForgottenFirst() async {
        database.answer { $0 == 1 }
        await ask(for: Array(1...1024))
        #expect(database.queries.count == 1024)
        await ask(for: Array(1...1024))
        #expect(database.queries.count == 1024)
        await ask(for: [1025])
        expect(await known([1]), equals: [1])
        await ask(for: [2, 1025])
        #expect(database.queries.suffix(2) == [1025, 2])
    }

    @Test func theSystemListsItsUsers() {
        #expect(UserDatabase.hasUser(0) == true)
        #expect(UserDatabase.hasUser(65_534) == true)
        #expect(UserDatabase.hasUser(3_000_000_000) != true)
    }

    @Test(arguments: [
        ("ns-web-0", true), ("ns-my-web-65535", true), ("vu-debian-1000", true), ("alice", false), ("ns-admin", false),
        ("ns-", false), ("", false), ("dns-1", false),
    ])
    func aNameThatSystemdMakesUpIsAContainers(name: String, isContainer: Bool) {
        #expect(UserDatabase.isContainer(name) == isContainer)
    }

    /// Those of some users that are known; the others are asked for.
    private func known(_ users: [UInt32]) async -> [UInt32] {
        await programs.loop.perform { loop in users.filter { self.users.contains($0, on: loop) } }
    }

    /// Asks for users, and waits for the answers.
    private func ask(for users: [UInt32]) async {
        for first in stride(from: 0, to: users.count, by: 60) {
            _ = await known(Array(users[first..<min(first + 60, users.count)]))
            await finish()
        }
    }

    /// Waits until all that was asked for is answered.
    private func finish() async {
        let marker = database.makeMarker()
        while !database.hasSeen(marker) { _ = await known([marker]) }
    }
}

/// A user database whose answers a test holds back.
private final class SlowDatabase: Sendable {
    private struct State {
        var queries: [UInt32] = []
        var lastMarker = firstMarker
        var answer: @Sendable (UInt32) -> Bool? = { _ in false }
        var (running, mostAtATime) = (0, 0)
        var isBlocked = false
    }

    /// Users from here on have no certain answer: once such a query begins, the answers of all before it are delivered.
    private static let firstMarker: UInt32 = 4_000_000_000
    private let state = Mutex(State())
    private let releases = DispatchSemaphore(value: 0)

    /// All queries so far, in order, without those of markers.
    var queries: [UInt32] { state.withLock { $0.queries.filter { $0 < Self.firstMarker } } }
    var mostAtATime: Int { state.withLock { $0.mostAtATime } }

    func answer(_ answer: @escaping @Sendable (UInt32) -> Bool?) { state.withLock { $0.answer = answer } }
    /// Lets the next query wait.
    func block() { state.withLock { $0.isBlocked = true } }
    func release() { releases.signal() }

    func makeMarker() -> UInt32 {
        state.withLock { state in
            state.lastMarker += 1
            return state.lastMarker
        }
    }

    func hasSeen(_ marker: UInt32) -> Bool { state.withLock { $0.queries.contains(marker) } }

    func queryHasBegun() async {
        while queries.isEmpty { await Task.yield() }
    }

    func query(_ userID: UInt32) -> Bool? {
        let (answer, isBlocked) = state.withLock { state in
            defer { state.isBlocked = false }
            state.queries.append(userID)
            state.running += 1
            state.mostAtATime = max(state.mostAtATime, state.running)
            return (state.answer, state.isBlocked)
        }
        // The limit is for a query that holds up the loop of the test. It is as long as the suite's, because other tests can keep
        // this one waiting for a minute.
        if isBlocked { _ = releases.wait(timeout: .now() + 600) }
        state.withLock { $0.running -= 1 }
        return userID < Self.firstMarker ? answer(userID) : nil
    }
}
