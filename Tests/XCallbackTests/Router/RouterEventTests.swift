import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// Requests as events of a router, and who answers them.
struct RouterEventTests {
    @Test func anEventThatNobodyUsesIsForgotten() async throws {
        let router = try Router(scheme: "notes") { router in router.route("/:name", event: "named") }
        for number in 0..<100 {
            let stream = router.events("read-\(number)")
            let listener = router.answer(event: "answered-\(number)") { _ in .success([:]) }
            #expect(router.eventCount == 2)
            withExtendedLifetime((stream, listener)) {}
        }
        #expect(router.eventCount == 0)
    }

    @Test func whoAnswersAnEventStaysWhenAnEarlierOneLeaves() async throws {
        let router = try Router(scheme: "notes") { router in router.route("/:name", event: "named") }
        var first: (some Sendable)? = router.answer(event: "named") { _ in .success(["by": "first"]) }
        let second = router.answer(event: "named") { _ in .success(["by": "second"]) }
        _ = first
        first = nil
        expect(await router.send("/a"), equals: .success(["by": "second"]))
        withExtendedLifetime(second) {}
    }

    @Test func aListenerMayOwnAnotherOne() async throws {
        let router = try Router(scheme: "notes") { router in router.route("/:name", event: "named") }
        var outer: (any Sendable)?
        do {
            let inner = router.answer(event: "inner") { _ in .success([:]) }
            outer = router.answer(event: "named") { _ in
                withExtendedLifetime(inner) {}
                return .success([:])
            }
        }
        #expect(outer != nil && router.eventCount == 2)
        outer = nil
        #expect(router.eventCount == 0)
    }

    @Test func eventsGoToAllWhoWaitAndOnlyTheNewestAreKept() async throws {
        let router = try Router(scheme: "notes") { router in router.route("/:name", event: "named") }
        expect(await router.send("/none"), equals: .success([:]))
        let streams = [router.events("named", buffering: 2), router.events("named", buffering: 2)]
        for name in ["a", "b", "c"] { expect(await router.send("/\(name)"), equals: .success([:])) }
        for stream in streams {
            var names: [String?] = []
            for await request in stream {
                names.append(request.parameters["name"])
                if names.count == 2 { break }
            }
            #expect(names == ["b", "c"])
        }
    }
}
