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

    @Test func eachHasItsShareAndAllTogetherHaveTheirs() async throws {
        let loop = try EventLoop(label: "test")
        loop.start()
        await loop.perform { loop in
            var allowance = Allowance(own: 6, user: 4, desktop: 2, all: 9)
            allowance[.agent] = 1
            loop.accounts.allowances[.requests] = allowance
            let (own, other) = (geteuid(), geteuid() + 1)
            #expect(Self.take(6, of: .requests, for: own, on: loop) == nil)
            #expect(Self.take(1, of: .requests, for: own, on: loop)?.share == .own)
            #expect(Self.take(3, of: .requests, for: other, .desktop, on: loop)?.share == .desktop)
            #expect(Self.take(2, of: .requests, for: other, .agent, on: loop)?.share == .agent)
            #expect(Self.take(5, of: .requests, for: other, on: loop)?.share == .user)
            // The user may, but all together may not.
            let excess = Self.take(4, of: .requests, for: other, on: loop)
            #expect(excess?.share == .all && excess?.used == 6 && excess?.limit == 9)
            #expect(
                excess?.description
                    == "All users together have reached a limit: 6 of 9 requests in progress, and 4 more "
                    + "(limits: requests: all).")
            #expect(loop.accounts[.requests] == 6)
            loop.account(of: own, .socket).give(.requests, 6)
            #expect(Self.take(4, of: .requests, for: other, on: loop) == nil)
            #expect(loop.accounts.all.map(\.name.owner) == [.user(other)])
        }
        await loop.stop()
    }

    /// Those that hold nothing are forgotten now and then, and the others are not.
    @Test func whatIsHeldIsNeverForgotten() async throws {
        let loop = try EventLoop(label: "test")
        loop.start()
        await loop.perform { loop in
            let last: UInt32 = 5000
            for userID in 1...last where Self.take(1, of: .streams, for: userID, on: loop) == nil {
                if userID % 50 > 0 { loop.account(of: userID, .socket).give(.streams) }
            }
            let holders = (1...last).filter { loop.account(of: $0, .socket)[.streams] == 1 }
            #expect(holders == (1...last).filter { $0 % 50 == 0 })
            #expect(loop.accounts[.streams] == holders.count)
        }
        await loop.stop()
    }

    @Test(arguments: [(4096, 3584, 1024), (8192, 7168, 2048), (5, 5, 2), (1, 1, 1)])
    func aNumberForAllScalesTheOthers(all: Int, own: Int, user: Int) {
        let scaled = Allowances()[.connections].scaled(to: all)
        #expect(scaled[.all] == all && scaled[.own] == own && scaled[.user] == user)
    }

    @Test func linesOfTheLogAreCountedAnewAfterAWhile() async throws {
        let loop = try EventLoop(label: "test")
        loop.start()
        await loop.perform { loop in
            loop.accounts.allowances[.logLines] = Allowance(own: 2, user: 2, desktop: 2, all: 9)
            let account = loop.account(of: 1, .socket)
            let accounts = loop.accounts
            func mayLog(at now: Duration) -> Bool { (try? accounts.takeLogLine(for: account, at: now)) != nil }
            #expect(mayLog(at: .seconds(1)) && mayLog(at: .seconds(30)))
            #expect(!mayLog(at: .seconds(30)))
            #expect(mayLog(at: .seconds(31)))
        }
        await loop.stop()
    }
}
