import Dispatch
import Glibc
import SlowRouter
import XCallback

/// Receives as `app` until SIGTERM, and then answers what it has.
@main
struct EndsOnSignal {
    static func main() async throws {
        try await serve(slowRouter())
        print("ended")
    }

    static func serve(_ router: Router) async throws {
        let serving = Task { try await router.serve(as: "app") }
        signal(SIGTERM, SIG_IGN)
        let signals = DispatchSource.makeSignalSource(signal: SIGTERM)
        signals.setEventHandler { serving.cancel() }
        signals.activate()
        try await serving.value
    }
}
