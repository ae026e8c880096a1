import Testing
import XCallbackEventLoop
import XCallbackRouter

@testable import XCallbackDaemon

/// The clock of a request with async stages.
struct WaitingRequestTests {
    /// A question to a person, for example, takes no time from the program after it.
    @Test func aStageWithATimeOfItsOwnTakesNoneFromOthers() throws {
        try EventLoop(label: "test").sync { loop in
            let pipeline = Pipeline(answeringAllWith: .shuttingDown)
            // Not deinitialized, because a request must not be dropped without its answer.
            let place = UnsafeMutablePointer<WaitingRequest>.allocate(capacity: 1)
            defer { place.deallocate() }
            place.initialize(
                to: WaitingRequest(
                    answer: PendingAnswer(), held: SuspendedExecution(), pipeline: pipeline, account: nil,
                    byteCount: 0, number: 1, start: .zero, timeLeft: .seconds(5)))
            var now = Duration.zero
            var times: [Duration] = []
            for (limit, time) in [(nil, 1), (.seconds(60), 40), (nil, 2), (nil, 1)] as [(Duration?, Int)] {
                times.append(place.pointee.begin(stage: 1, limit: limit, at: now) { loop.call(after: $0) {} })
                now += .seconds(time)
                _ = place.pointee.end(stage: 1, at: now)
            }
            #expect(times == [5, 60, 4, 2].map { .seconds($0) })
        }
    }
}
