import Dispatch
import Testing
import XCallback

/// Where the functions run that the library is given.
@MainActor
struct IsolationTests {
    private nonisolated static let key = DispatchSpecificKey<Bool>()

    /// Whether this is the main actor, whose queue is not bound to a thread on Linux.
    private nonisolated static var isOnMainActor: Bool { DispatchQueue.getSpecific(key: key) == true }

    private nonisolated static func tell() async throws -> String { isOnMainActor ? "main" : "other" }

    init() {
        DispatchQueue.main.setSpecific(key: Self.key, value: true)
    }

    private func told(_ response: Response) -> String? {
        guard case .success(let items) = response else { return nil }
        return items["result"]
    }

    @Test func aHandlerRunsOffTheActorOfItsCaller() async throws {
        let router = try Router(scheme: "app") { router in
            router.route("/closure") { Self.isOnMainActor ? "main" : "other" }
            router.route("/function", Self.tell)
        }
        #expect(told(await router.handle("app:/closure").response) == "other")
        #expect(told(await router.handle("app:/function").response) == "other")
    }

    @Test func aHandlerOfAnActorRunsOnIt() async throws {
        let router = try Router(scheme: "app") { router in
            router.route("/closure") { @MainActor in Self.isOnMainActor ? "main" : "other" }
        }
        #expect(told(await router.handle("app:/closure").response) == "main")
    }

    @Test func middlewareRunsOffTheActorOfItsCaller() async throws {
        let router = try Router(scheme: "app") { router in
            router.use { request in
                await Task.yield()
                return .answer(.success(["result": Self.isOnMainActor ? "main" : "other"]))
            }
        }
        #expect(told(await router.handle("app:/any").response) == "other")
    }

    @Test func anOpenerRunsOffTheActorOfItsCaller() async throws {
        let opener = OpenerFunction { _ in .success(["result": Self.isOnMainActor ? "main" : "other"]) }
        #expect(told(try await opener.open(ActionURL("app:/any"))) == "other")
    }

    @Test func aClosureThatChangesItsActorRunsOnIt() async {
        var count = 0
        let response = await ActionResponse {
            count += 1
            return Self.isOnMainActor
        }
        #expect(response == .success(true))
        #expect(count == 1)
    }
}
