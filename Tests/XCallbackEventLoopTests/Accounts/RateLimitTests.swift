import Testing
import XCallbackEventLoop

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
        let loop = try EventLoop(label: "test")
        loop.start()
        await loop.perform { loop in
            loop.accounts.capacity[.bytes] = capacity
            do {
                try body(loop, loop.account(of: 1000, .socket))
            } catch {
                Issue.record(error)
            }
        }
        await loop.stop()
    }

    @Test(arguments: [1, 2, 3, 7, 10, 1000])
    func asManyAsTheRateSaysMayComeAtOnce(count: Int) async throws {
        try await Self.withAccount { _, account throws in
            let rate = RateLimit(count: count, period: .seconds(1))
            var admitted = 0
            for _ in 0..<count * 2 where try account.admit(to: 1, rate, at: 5_000_000_000) { admitted += 1 }
            #expect(admitted == count)
        }
    }

    @Test func whatIsUsedUpComesBackOneByOne() async throws {
        try await Self.withAccount { _, account throws in
            for _ in 0..<10 { _ = try account.admit(to: 1, Self.tenASecond, at: 0) }
            let admitted = try [99, 100, 150, 200, 450, 450, 450].map {
                try account.admit(to: 1, Self.tenASecond, at: Self.milliseconds($0))
            }
            #expect(admitted == [false, true, false, true, true, true, false])
        }
    }

    @Test func whatIsRefusedUsesNothingUp() async throws {
        try await Self.withAccount { _, account throws in
            let one = RateLimit(count: 1, period: .seconds(1))
            let admitted = try (0...99).map { try account.admit(to: 1, one, at: Self.milliseconds($0 * 10)) }
            #expect(admitted.count { $0 } == 1)
            #expect(try account.admit(to: 1, one, at: Self.milliseconds(1000)))
        }
    }

    @Test func aLongPauseSavesNothingUp() async throws {
        try await Self.withAccount { _, account throws in
            _ = try account.admit(to: 1, Self.tenASecond, at: 0)
            let admitted = try (0..<30).map { _ in
                try account.admit(to: 1, Self.tenASecond, at: Self.milliseconds(3_600_000))
            }
            #expect(admitted.count { $0 } == 10)
        }
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
