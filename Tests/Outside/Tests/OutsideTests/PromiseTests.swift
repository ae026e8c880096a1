import Synchronization
import Testing
import XCallback

/// Promises of the READMEs that the other tests of this folder do not show.
struct PromiseTests {
    struct Target: App {
        var scheme: String { "my-target" }
        var host: String { "host" }

        struct DoSomething: Action {
            struct Input: Codable {
                var key: String
                var kind: String? = "thing"
            }
            struct Output: Codable { var something: String }

            var path: String { "do/it" }
        }

        static func doSomething(_ key: String, then callback: @escaping @Sendable (String) -> Void) {
            Target().run(action: DoSomething(), with: .init(key: key), through: router) { response in
                if case .success(let output) = response { callback(output.something) }
            }
        }

        static let router = try? Router(Target()) { router in
            router.answer(DoSomething()) { input in
                // The calls do not end in their order.
                for _ in 0..<Int.random(in: 0...9) { await Task.yield() }
                return .init(something: "\(input.kind ?? "") \(input.key)")
            }
        }
    }

    @Test func hostAndPathMayBeSet() throws {
        let url = try Target().url(for: Target.DoSomething(), with: .init(key: "a", kind: nil))
        #expect(url.received == "my-target://host/do/it?key=a")
    }

    @Test func aDefaultOfAnInputIsKept() throws {
        let url = try Target().url(for: Target.DoSomething(), with: .init(key: "a"))
        #expect(url.received == "my-target://host/do/it?key=a&kind=thing")
    }

    @Test(.timeLimit(.minutes(10)))
    func aConvenienceFunctionMayTakeACallback() async {
        let something = await withCheckedContinuation { continuation in
            Target.doSomething("a") { continuation.resume(returning: $0) }
        }
        #expect(something == "thing a")
    }

    @Test func simultaneousCallsGetTheirOwnAnswers() async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<1000 {
                group.addTask {
                    let output = try await Target().run(
                        Target.DoSomething(), with: .init(key: "\(number)"), through: Target.router)
                    #expect(output.something == "thing \(number)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func severalCapturesAreParameters() async throws {
        let router = try Router(scheme: "myapp") { router in
            router.route("/people/:person_id/messages/:message_id") { (keys: [String: Int]) in keys.mapValues { $0 + 1 }
            }
        }
        guard case .success(let items) = await router.send("/people/1/messages/2") else {
            Issue.record("the request failed")
            return
        }
        #expect(items["person_id"] == "2" && items["message_id"] == "3")
    }
}
