import Testing
import XCallbackEventLoop
import XCallbackRouter

/// Rates, and the buckets that accounts hold for them.
@Suite(.timeLimit(.minutes(10)))
struct RateLimitTests {
    private static let tenASecond = RateLimit(count: 10, period: .seconds(1))
    private static let daily = RateLimit(count: 1, period: .seconds(86_400))

    private static func milliseconds(_ count: Int) -> Int64 { Int64(count) * 1_000_000 }

    /// Calls a function with the account of another user than root and the daemon's own.
    private static func withAccount(
        bytes capacity: Int = 1 << 20, _ body: @Sendable (isolated EventLoop, Account) throws -> Void
    ) async throws {
        try await onLoop { loop in
            loop.accounts.capacity[.bytes] = capacity
            try body(loop, loop.account(of: 1000, .socket))
        }
    }

    /// Rates, the milliseconds of events, and how many of these are admitted.
    static let events: [(rate: RateLimit, times: [Int], count: Int)] = [
        (RateLimit(count: 1, period: .seconds(1)), [0, 0], 1), (RateLimit(count: 7, period: .seconds(1)), [0], 1),
        (RateLimit(count: 7, period: .seconds(1)), Array(repeating: 5_000, count: 14), 7),
        (RateLimit(count: 1000, period: .seconds(1)), Array(repeating: 5_000, count: 2000), 1000),
        // What is used up comes back one by one.
        (tenASecond, Array(repeating: 0, count: 10) + [99, 100, 150, 200, 450, 450, 450], 14),
        // What is refused uses nothing up.
        (RateLimit(count: 1, period: .seconds(1)), (0...100).map { $0 * 10 }, 2),
        // A long pause saves nothing up.
        (tenASecond, [0] + Array(repeating: 3_600_000, count: 30), 11),
    ]

    @Test(arguments: events)
    func asManyEventsAreAdmittedAsTheRateSays(rate: RateLimit, times: [Int], count: Int) {
        var due: Int64?
        var admitted = 0
        for time in times {
            guard let next = rate.next(after: due, at: Self.milliseconds(time)) else { continue }
            due = next
            admitted += 1
        }
        #expect(admitted == count)
    }

    @Test func bucketsAndAccountsAreCountedApart() async throws {
        try await Self.withAccount { loop, account throws in
            #expect(try account.admit(to: 1, Self.daily, at: 0))
            #expect(try !account.admit(to: 1, Self.daily, at: 0))
            #expect(try account.admit(to: 2, Self.daily, at: 0))
            #expect(try loop.account(of: 1001, .socket).admit(to: 1, Self.daily, at: 0))
            #expect(try loop.accounts.shared.admit(to: 1, Self.daily, at: 0))
            // Whatever its client declares.
            #expect(try !loop.account(of: 1000, .agent).admit(to: 1, Self.daily, at: 0))
            #expect(try loop.account(of: 0, .socket).admit(to: 1, Self.daily, at: 0))
            #expect(try loop.account(of: 0, .agent).admit(to: 1, Self.daily, at: 0))
            #expect(try !loop.account(of: 0, .agent).admit(to: 1, Self.daily, at: 0))
        }
    }

    @Test func bucketsThatAreFullAgainAreForgotten() async throws {
        try await Self.withAccount { loop, account throws in
            #expect(try account.admit(to: 100_000, Self.daily, at: 0))
            for number in 0..<100_000 {
                #expect(try account.admit(to: UInt64(number), Self.tenASecond, at: Self.milliseconds(number)))
            }
            #expect(account[.bytes] < 3000 * Account.bucketSize)
            #expect(try !account.admit(to: 100_000, Self.daily, at: Self.milliseconds(100_000)))
            #expect(loop.accounts.all(at: .max).isEmpty)
        }
    }

    /// Otherwise who has used up a rate could make the daemon forget it.
    @Test func bucketsInUseAreNeverForgotten() async throws {
        try await Self.withAccount(bytes: 8 * 100 * Account.bucketSize) { loop, account throws in
            for number in 0..<100 as Range<UInt64> { #expect(try account.admit(to: number, Self.daily, at: 0)) }
            let excess = #expect(throws: Excess.self) { try account.admit(to: 100, Self.daily, at: 1) }
            #expect(
                excess?.description
                    == "User 1000 has reached a limit: 4800 of 4800 bytes in memory, and 48 more "
                    + "(an eighth of limits: bytes).")
            for number in 0..<100 as Range<UInt64> { #expect(try !account.admit(to: number, Self.daily, at: 1)) }
            #expect(try loop.account(of: 1001, .socket).admit(to: 100, Self.daily, at: 1))
            #expect(try account.admit(to: 100, Self.daily, at: Self.milliseconds(86_400_001)))
        }
    }
}

extension Account {
    /// Counts an event if a rate allows it.
    fileprivate func admit(to number: UInt64, _ rate: RateLimit, at now: Int64) throws(Excess) -> Bool {
        try admit(to: number, at: now) { rate.next(after: $0, at: now) }
    }
}
