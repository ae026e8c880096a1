import Testing
import XCallback

struct VisitCount: StageMemory { var number = 0 }

/// Counts the requests that it sees, and lets no more than three pass.
struct ThreeVisits: Policy {
    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict {
        state[VisitCount.self].number += 1
        return state[VisitCount.self].number <= 3 ? .verified : .failed(CallbackError(.tooMany, "That is enough."))
    }
}

struct StageMemoryTests {
    @Test func aRouterRemembersWhatItsStagesDo() async throws {
        let router = try Router(scheme: "app") { router in
            router.require(ThreeVisits())
            router.route("/ping") { "pong" }
            router.route("/slow") { (request: Request) async throws -> Response in
                await Task.yield()
                return .cancel
            }
        }
        for _ in 0..<2 { #expect(await router.send("/ping") == .success(["result": "pong"])) }
        #expect(await router.send("/slow") == .cancel)
        let error = CallbackError(.tooMany, "That is enough.")
        #expect(await router.send("/ping") == .error(error))
        let other = try Router(scheme: "app") { $0.route("/ping", policies: [ThreeVisits()]) { "pong" } }
        #expect(await other.send("/ping") == .success(["result": "pong"]))
    }
}
