import Synchronization
import Testing
import XCallback

/// Lets no more than three requests pass.
func threeVisits() -> Policy {
    let count = Mutex(0)
    return Policy { _ in
        let isFull = count.withLock { count in
            count += 1
            return count > 3
        }
        return isFull ? .failed(CallbackError(.tooMany, "That is enough.")) : .verified
    }
}

struct StageMemoryTests {
    @Test func aRouterRemembersWhatItsStagesDo() async throws {
        let router = try Router(scheme: "app") { router in
            router.require(threeVisits())
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
        let other = try Router(scheme: "app") { $0.route("/ping", policies: [threeVisits()]) { "pong" } }
        #expect(await other.send("/ping") == .success(["result": "pong"]))
    }

    @Test func middlewareRemembersToo() async throws {
        let router = try Router(scheme: "app") { router in
            let counts = Mutex([String: Int]())
            router.use { request in
                request.data["count"] = counts.withLock { counts in
                    counts[request.source ?? "", default: 0] += 1
                    return counts[request.source ?? ""]
                }
                return .proceed
            }
            router.route("/count") { (request: Request) in request.data["count"] as? Int ?? 0 }
        }
        #expect(await router.send("/count?x-source=mail") == .success(["result": "1"]))
        #expect(await router.send("/count?x-source=mail") == .success(["result": "2"]))
        #expect(await router.send("/count") == .success(["result": "1"]))
    }

    @Test func aCheckMayWaitAndFail() async throws {
        struct Denied: CallbackErrorConvertible {
            var callbackError: CallbackError { CallbackError(.forbidden, "Not you.") }
        }
        let check = Policy { request in
            await Task.yield()
            switch request.parameters["who"] {
            case "friend": return .verified
            case "stranger": throw Denied()
            case "busy": throw ActionCancelled()
            default: return .failed(CallbackError(.badParameter, "Who?"))
            }
        }
        let router = try Router(scheme: "app") { $0.route("/ping", policies: [check]) { "pong" } }
        #expect(await router.send("/ping?who=friend") == .success(["result": "pong"]))
        #expect(await router.send("/ping?who=stranger") == .error(CallbackError(.forbidden, "Not you.")))
        #expect(await router.send("/ping?who=busy") == .cancel)
        #expect(await router.send("/ping") == .error(CallbackError(.badParameter, "Who?")))
    }
}
