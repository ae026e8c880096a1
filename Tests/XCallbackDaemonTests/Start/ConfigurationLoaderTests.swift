import Glibc
import Synchronization
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackDaemon
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

/// How configurations are released that are no longer served.
@Suite(.timeLimit(.minutes(10)))
struct ConfigurationLoaderTests {
    private static let count = 2000

    @Test func configurationsAreReleasedOnTheQueueAndNotByTheCaller() throws {
        let loader = ConfigurationLoader { _ throws(ConfigurationError) in
            throw ConfigurationError(faults: [])
        } report: { _ in
        }
        let ends = Ends()
        for _ in 0..<Self.count { loader.release(try configuration(ends)) }
        while ends.count < Self.count { usleep(1000) }
        #expect(ends.countHere == 0)
    }

    private func configuration(_ ends: Ends) throws -> RouterConfiguration {
        let stages = Route.Stages(handler: .immediate(Ending(end: End(ends))))
        let route = Route(
            scheme: "app", pattern: try RoutePattern("/end"), reach: .open, timeout: nil, stages: stages)
        return RouterConfiguration(
            pipeline: try Pipeline(
                schemes: [SchemeSettings("app")], routes: [route], callbackRules: CallbackRules(ownSchemes: ["app"])))
    }
}

/// A handler whose release is counted.
private struct Ending: Handler {
    let end: End

    func handle(_ request: Request, _ state: inout PipelineState) -> Response { .success([:]) }
}

private final class End: Sendable {
    private let ends: Ends

    init(_ ends: Ends) { self.ends = ends }

    deinit { ends.add() }
}

/// How many handlers were released, and how many of them in the thread that made this.
private final class Ends: Sendable {
    private let thread = pthread_self()
    private let counts = Mutex((all: 0, here: 0))

    var count: Int { counts.withLock { $0.all } }
    var countHere: Int { counts.withLock { $0.here } }

    func add() {
        let isHere = pthread_equal(thread, pthread_self()) != 0
        counts.withLock { counts in
            counts.all += 1
            if isHere { counts.here += 1 }
        }
    }
}
