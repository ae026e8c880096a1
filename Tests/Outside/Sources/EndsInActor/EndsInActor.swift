import SlowRouter
import XCallback

actor Receiving {
    let router: Router

    init(_ router: Router) { self.router = router }

    func run() async throws {
        try await router.serve(as: "app", endingOn: .sigterm)
        print("ended")
    }
}

@main
struct EndsInActor {
    static func main() async throws { try await Receiving(slowRouter()).run() }
}
