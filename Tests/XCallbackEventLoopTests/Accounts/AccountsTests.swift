import Glibc
import Testing
import XCallbackEventLoop

/// What accounts hold, and may hold.
@Suite(.timeLimit(.minutes(10)))
struct AccountsTests {
    /// Takes so much for a user; the excess if that is too much.
    private static func take(
        _ count: Int, of resource: Resource, for userID: UInt32, _ kind: AccountClass = .socket,
        on loop: isolated EventLoop
    ) -> Excess? {
        do throws(Excess) {
            try loop.account(of: userID, kind).take(resource, count)
            return nil
        } catch {
            return error
        }
    }

    @Test func eachUserHasAnEighthAndTheOthersLeaveOne() async throws {
        try await onLoop { loop in
            loop.accounts.capacity[.requests] = 64
            let own = geteuid()
            let others = (1...9).map { own + $0 }
            // Whatever classes its clients declare.
            #expect(Self.take(5, of: .requests, for: others[0], .desktop, on: loop) == nil)
            #expect(Self.take(3, of: .requests, for: others[0], .agent, on: loop) == nil)
            let excess = Self.take(1, of: .requests, for: others[0], on: loop)
            #expect(
                excess?.description
                    == "User \(others[0]) has reached a limit: 8 of 8 requests in progress "
                    + "(an eighth of limits: requests).")
            for other in others[1...6] { #expect(Self.take(8, of: .requests, for: other, on: loop) == nil) }
            #expect(
                Self.take(1, of: .requests, for: others[7], on: loop)?.description
                    == "All other users together have reached a limit: 56 of 56 requests in progress "
                    + "(seven eighths of limits: requests).")
            // The rest is for the daemon's user and root.
            #expect(Self.take(8, of: .requests, for: own, on: loop) == nil)
            #expect(
                Self.take(1, of: .requests, for: own, on: loop)?.description
                    == "All users together have reached a limit: 64 of 64 requests in progress (limits: requests).")
            #expect(loop.accounts[.requests] == 64)
        }
    }

    @Test func theOwnUserHasSevenEighthsAndItsClassesOne() async throws {
        try await onLoop { loop in
            loop.accounts.capacity[.processes] = 16
            let own = geteuid()
            #expect(Self.take(2, of: .processes, for: own, .desktop, on: loop) == nil)
            #expect(
                Self.take(1, of: .processes, for: own, .desktop, on: loop)?.description
                    == "User \(own) (desktop) has reached a limit: 2 of 2 running programs "
                    + "(an eighth of limits: processes).")
            #expect(Self.take(2, of: .processes, for: own, .agent, on: loop) == nil)
            #expect(Self.take(10, of: .processes, for: own, on: loop) == nil)
            #expect(loop.account(of: own, .socket)[.processes] == 14)
            #expect(Self.take(1, of: .processes, for: own, on: loop)?.limit == 14)
            // The classes are part of the whole.
            loop.account(of: own, .agent).give(.processes, 2)
            #expect(Self.take(2, of: .processes, for: own, on: loop) == nil)
            #expect(Self.take(1, of: .processes, for: own, .agent, on: loop)?.limit == 14)
            // What the own user holds costs only the own user.
            #expect(Self.take(2, of: .processes, for: own + 1, on: loop) == nil)
        }
    }

    /// Those that hold nothing are forgotten now and then, and the others are not.
    @Test func whatIsHeldIsNeverForgotten() async throws {
        try await onLoop { loop in
            let last: UInt32 = 5000
            for userID in 1...last where Self.take(1, of: .streams, for: userID, on: loop) == nil {
                if userID % 50 > 0 { loop.account(of: userID, .socket).give(.streams) }
            }
            let holders = (1...last).filter { loop.account(of: $0, .socket)[.streams] == 1 }
            #expect(holders == (1...last).filter { $0 % 50 == 0 })
            #expect(loop.accounts[.streams] == holders.count)
        }
    }

    @Test func newOwnersCountFromTheNextRequestOn() async throws {
        try await onLoop { loop in
            loop.accounts.owners = OwnerTable("1000:200000:100")
            #expect(loop.account(of: 200_001, .socket).name.owner == .user(1000))
            loop.accounts.owners = OwnerTable("1001:200000:100")
            #expect(loop.account(of: 200_001, .socket).name.owner == .user(1001))
        }
    }

    @Test(arguments: [(4096, 3584, 512), (5, 5, 1), (1, 1, 1), (9, 8, 2), (64, 56, 8)])
    func sharesAreEighths(all: Int, most: Int, eighth: Int) {
        #expect(Share.all(of: all) == all && Share.most(of: all) == most && Share.eighth(of: all) == eighth)
    }

    @Test func linesOfTheLogAreCountedAnewAfterAWhile() async throws {
        try await onLoop { loop in
            loop.accounts.logLineLimit = 2
            let name = loop.account(of: 1, .socket).name
            #expect(loop.accounts.takeLogLine(of: name, at: .seconds(1)))
            #expect(loop.accounts.takeLogLine(of: name, at: .seconds(30)))
            #expect(!loop.accounts.takeLogLine(of: name, at: .seconds(30)))
            #expect(loop.accounts.takeLogLine(of: loop.account(of: 2, .socket).name, at: .seconds(30)))
            #expect(loop.accounts.takeLogLine(of: name, at: .seconds(31)))
        }
    }
}
