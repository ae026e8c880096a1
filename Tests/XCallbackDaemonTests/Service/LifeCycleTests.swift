import Glibc
import Testing
import XCallbackDaemon

struct LifeCycleTests {
    /// A signal, or the end of a reload as `nil`, and what is to be done then.
    typealias Event = (signal: Int32?, step: LifeCycle.Step)

    static let lives: [[Event]] = [
        [(SIGTERM, .drain), (SIGTERM, .stop)],
        [(SIGINT, .drain), (SIGTERM, .stop)],
        [(SIGHUP, .reload), (nil, .nothing), (SIGHUP, .reload), (nil, .nothing), (SIGTERM, .drain)],
        [(SIGHUP, .reload), (SIGHUP, .nothing), (SIGHUP, .nothing), (nil, .reload), (nil, .nothing)],
        [(SIGHUP, .reload), (SIGHUP, .nothing), (nil, .reload), (SIGHUP, .nothing), (nil, .reload), (nil, .nothing)],
        [(SIGTERM, .drain), (SIGHUP, .nothing), (SIGTERM, .stop)],
        [(SIGHUP, .reload), (SIGHUP, .nothing), (SIGTERM, .drain), (nil, .nothing)],
    ]

    @Test(arguments: lives)
    func eachSignalHasItsStep(events: [Event]) {
        var life = LifeCycle()
        for (index, event) in events.enumerated() {
            let step = event.signal.map { life.receive(signal: $0) } ?? life.endReload()
            #expect(step == event.step, "event \(index)")
        }
    }
}
