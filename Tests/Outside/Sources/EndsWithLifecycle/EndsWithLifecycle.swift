import Logging
import ServiceLifecycle
import SlowRouter
import XCallback

struct RouterService: Service {
    let router: Router

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await router.serve(as: "app") }
    }
}

/// Receives as `app`, as one of the services of a program.
@main
struct EndsWithLifecycle {
    static func main() async throws {
        try await run(slowRouter())
        print("ended")
    }

    static func run(_ router: Router) async throws {
        let service = RouterService(router: router)
        let group = ServiceGroup(
            services: [service], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "app"))
        try await group.run()
    }
}
