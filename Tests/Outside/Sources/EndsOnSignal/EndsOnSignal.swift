import SlowRouter
import XCallback

/// Receives as `app` until SIGTERM, and then answers what it has.
@main
struct EndsOnSignal {
    static func main() async throws {
        let router = try slowRouter()
        try await router.serve(as: "app", endingOn: .sigterm)
        print("ended")
    }
}
