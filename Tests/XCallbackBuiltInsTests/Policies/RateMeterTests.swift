import Testing
import XCallbackBuiltIns
import XCallbackPipeline

struct RateMeterTests {
    private let tenASecond = RateMeter.Rate(count: 10, period: .seconds(1))
    private let key = RateMeter.Key(scope: 1, userID: 1000)

    @Test(arguments: [1, 2, 3, 7, 10, 1000])
    func asManyAsTheRateSaysMayComeAtOnce(count: Int) {
        var meter = RateMeter()
        let rate = RateMeter.Rate(count: count, period: .seconds(1))
        var admitted = 0
        for _ in 0..<count * 2 where meter.admit(key, rate, at: .seconds(5)) { admitted += 1 }
        #expect(admitted == count)
    }

    @Test func whatIsUsedUpComesBackOneByOne() {
        var meter = RateMeter()
        for _ in 0..<10 { _ = meter.admit(key, tenASecond, at: .zero) }
        var admitted: [Bool] = []
        for time in [99, 100, 150, 200, 450, 450, 450] {
            admitted.append(meter.admit(key, tenASecond, at: .milliseconds(time)))
        }
        #expect(admitted == [false, true, false, true, true, true, false])
    }

    @Test func whatIsRefusedUsesNothingUp() {
        var meter = RateMeter()
        let one = RateMeter.Rate(count: 1, period: .seconds(1))
        var admitted = meter.admit(key, one, at: .zero) ? 1 : 0
        for time in 1...99 where meter.admit(key, one, at: .milliseconds(time * 10)) { admitted += 1 }
        #expect(admitted == 1)
        let isAdmitted = meter.admit(key, one, at: .seconds(1))
        #expect(isAdmitted)
    }

    @Test func aLongPauseSavesNothingUp() {
        var meter = RateMeter()
        _ = meter.admit(key, tenASecond, at: .zero)
        var admitted = 0
        for _ in 0..<30 where meter.admit(key, tenASecond, at: .seconds(3600)) { admitted += 1 }
        #expect(admitted == 10)
    }

    @Test(arguments: [
        RateMeter.Key(scope: 1, userID: 1001), RateMeter.Key(scope: 2, userID: 1000),
        RateMeter.Key(
            scope: 1,
            userID: nil),
    ])
    func othersAreCountedApart(other: RateMeter.Key) {
        var meter = RateMeter()
        for _ in 0..<10 { _ = meter.admit(key, tenASecond, at: .zero) }
        let isAdmitted = meter.admit(key, tenASecond, at: .zero)
        let isOtherAdmitted = meter.admit(other, tenASecond, at: .zero)
        #expect(!isAdmitted)
        #expect(isOtherAdmitted)
    }

    @Test func bucketsThatAreFullAgainAreForgotten() {
        var meter = RateMeter()
        for user in 0..<100_000 as Range<UInt32> {
            _ = meter.admit(RateMeter.Key(scope: 1, userID: user), tenASecond, at: .milliseconds(Int(user)))
        }
        #expect(meter.bucketCount < 3000)
    }

    @Test func bucketsInUseOutliveTheSweep() {
        var meter = RateMeter()
        let slow = RateMeter.Rate(count: 1, period: .seconds(86_400))
        _ = meter.admit(key, slow, at: .zero)
        for user in 0..<5000 as Range<UInt32> {
            _ = meter.admit(RateMeter.Key(scope: 2, userID: user), tenASecond, at: .seconds(Int(user)))
        }
        let isAdmitted = meter.admit(key, slow, at: .seconds(5000))
        #expect(!isAdmitted)
    }
}

extension RateMeter {
    /// Counts an event at a time.
    fileprivate mutating func admit(_ key: Key, _ rate: Rate, at now: Duration) -> Bool {
        let (seconds, attoseconds) = now.components
        return admit(key, rate, at: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
