import Testing
import XCallbackCommands

/// When answers begin to count.
struct RestWatchTests {
    private let start = ContinuousClock.now

    private func time(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    /// A watch that has seen a tool as it is every 25 milliseconds.
    private func watch(until end: Int, busy: (Int) -> Bool) -> RestWatch {
        var watch = RestWatch(at: start)
        var processorTime: UInt64 = 0
        for now in stride(from: 0, through: end, by: 25) {
            if busy(now) { processorTime += 1 }
            watch.note(isAsleep: !busy(now), processorTime: processorTime, at: time(now))
        }
        return watch
    }

    @Test func halfASecondAfterTheToolHasComeToRest() {
        let watch = watch(until: 2000) { $0 < 300 }
        #expect(watch.isDeaf(at: time(300)) && watch.isDeaf(at: time(900)))
        #expect(!watch.isDeaf(at: time(300 + 150 + 500)))
    }

    @Test func whatHasAPauseIsNotAtRest() {
        #expect(watch(until: 900) { $0 % 125 == 0 }.isDeaf(at: time(900)))
    }

    @Test func whatWorksWhileItIsAnsweredIsNotWatchedAnyMore() {
        #expect(!watch(until: 1000) { $0 == 0 || $0 > 400 }.isDeaf(at: time(1000)))
    }

    @Test func aToolThatNeverRestsIsHeardAtLast() {
        let watch = watch(until: 5000) { _ in true }
        #expect(watch.isDeaf(at: time(3400)) && !watch.isDeaf(at: time(3500)))
    }

    @Test func whatEndsAtOnceIsDeaf() {
        #expect(RestWatch(at: start).isDeaf(at: time(0)))
        #expect(RestWatch(at: start).isDeaf(at: time(60_000)))
    }
}
