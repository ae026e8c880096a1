import Testing
import XCallbackEventLoop
import XCallbackRouter

@testable import XCallbackDaemon

/// The clock of a request with async stages.
struct WaitingRequestTests {
    /// A question to a person, for example, takes no time from the program after it.
    @Test func aStageWithATimeOfItsOwnTakesNoneFromOthers() throws {
        try Self.withRequest { request, loop in
            var now = Duration.zero
            var times: [Duration] = []
            for (limit, time) in [(nil, 1), (.seconds(60), 40), (nil, 2), (nil, 1)] as [(Duration?, Int)] {
                times.append(request.pointee.begin(stage: 1, limit: limit, at: now) { loop.call(after: $0) {} })
                now += .seconds(time)
                _ = request.pointee.end(stage: 1, at: now)
            }
            #expect(times == [5, 60, 4, 2].map { .seconds($0) })
        }
    }

    @Test func progressRenewsTheIdleTimeAndNotTheTotal() throws {
        try Self.withRequest { request, loop in
            request.pointee.use(.seconds(5), idle: .seconds(2), of: nil)
            var times = [request.pointee.begin(stage: 1, limit: nil, at: .zero) { loop.call(after: $0) {} }]
            for now in 1...4 {
                _ = request.pointee.renew(at: .seconds(now)) { time in
                    times.append(time)
                    return loop.call(after: time) {}
                }
            }
            #expect(times == [2, 2, 2, 2, 1].map { .seconds($0) })
        }
    }

    @Test func progressIsSentFourTimesASecondAndTheNewestWins() throws {
        try Self.withRequest { request, loop in
            func keep(_ text: String, at time: Int) -> Duration? {
                request.pointee.keep(RequestProgress(text), at: .milliseconds(time))
            }
            func take(at time: Int) -> String? { request.pointee.takeProgress(at: .milliseconds(time))?.text }
            #expect(keep("early", at: 0) == nil)
            _ = request.pointee.begin(stage: 1, limit: nil, at: .zero) { loop.call(after: $0) {} }
            #expect(keep("1", at: 0) == .zero && keep("2", at: 0) == nil)
            #expect(take(at: 0) == "2" && take(at: 0) == nil)
            #expect(keep("3", at: 100) == .milliseconds(150) && keep("4", at: 200) == nil)
            #expect(take(at: 249) == nil && take(at: 250) == "4")
            #expect(keep("5", at: 600) == .zero)
            _ = request.pointee.end()
            #expect(take(at: 600) == nil && keep("6", at: 700) == nil)
        }
    }

    /// Calls a function with a request that has five seconds.
    private static func withRequest(
        _ body: @Sendable (UnsafeMutablePointer<WaitingRequest>, isolated EventLoop) -> Void
    ) throws {
        try EventLoop(label: "test").sync { loop in
            let pipeline = Pipeline(answeringAllWith: .shuttingDown)
            // Not deinitialized, because a request must not be dropped without its answer.
            let place = UnsafeMutablePointer<WaitingRequest>.allocate(capacity: 1)
            defer { place.deallocate() }
            place.initialize(
                to: WaitingRequest(
                    answer: PendingAnswer(), held: SuspendedExecution(), pipeline: pipeline, account: nil,
                    byteCount: 0, number: 1, start: .zero, timeLeft: .seconds(5)))
            body(place, loop)
        }
    }
}
