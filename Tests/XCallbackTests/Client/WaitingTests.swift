import Glibc
import Testing
import XCallback

struct WaitingTests {
    @Test func aClientThatTriesAgainNeverPausesForLong() {
        var backOff = BackOff()
        let pauses = (0..<20).map { _ in backOff.next() }
        #expect(pauses[0] <= .milliseconds(100) && pauses.allSatisfy { $0 <= .seconds(30) }, "\(pauses)")
    }

    /// A signal would otherwise end the process, whose other routers are still being served.
    @Test func aWatchOverASignalOutlivesAnother() throws {
        var action = sigaction()
        let watch = try SignalWatch([SIGUSR1]) {}
        _ = try SignalWatch([SIGUSR1]) {}
        sigaction(SIGUSR1, nil, &action)
        withExtendedLifetime(watch) {}
        #expect(action.__sigaction_handler.sa_handler != nil, "SIGUSR1")
    }
}
