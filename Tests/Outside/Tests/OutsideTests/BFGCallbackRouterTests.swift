import Synchronization
import Testing
import XCallback

// What the README of BFGCallbackRouter shows, here.

/// The part of the program that shows things, as a handler.
final class RootViewController: AsyncHandler {
    let shown = Mutex<[String]>([])

    func handle(_ request: Request) async throws -> Response {
        shown.withLock { $0.append(request.url.received) }
        return .success([:])
    }
}

struct BFGCallbackRouterTests {
    @Test(.timeLimit(.minutes(10)))
    func anActionMayBeAnEvent() async throws {
        let router = try Router(scheme: "scheme") { router in
            router.route("/foo", event: "didReceiveFooAction")
        }
        let requests = router.events("didReceiveFooAction")
        let answer = await router.handle("scheme://x-callback-url/foo?a=1")
        #expect(answer.response == .success([:]))
        for await request in requests {
            #expect(request.parameters == ["a": "1"])
            break
        }
    }

    @Test func aListenerMayAnswerAnEvent() async throws {
        let router = try Router(scheme: "scheme") { router in
            router.route("/foo", event: "didReceiveFooAction")
        }
        do {
            let listener = router.answer(event: "didReceiveFooAction") { request in
                request.parameters["a"] == nil ? .cancel : .success(["extra": request.parameters["a"]])
            }
            #expect(await router.handle("scheme:/foo?a=1&x-success=app://ok").url == "app://ok?extra=1")
            #expect(await router.handle("scheme:/foo?x-cancel=app://no").url == "app://no")
            withExtendedLifetime(listener) {}
        }
        #expect(await router.handle("scheme:/foo?a=1&x-success=app://ok").url == "app://ok")
    }

    @Test func anActionMayBeHandledByAnObject() async throws {
        let rootViewController = RootViewController()
        let router = try Router(scheme: "scheme") { router in
            router.route("/bar", to: rootViewController)
        }
        await router.handle("scheme://x-callback-url/bar")
        #expect(rootViewController.shown.withLock { $0 } == ["scheme://x-callback-url/bar"])
    }

    @Test func anActionMayBeHandledByAFunctionThatSeesTheWholeRequest() async throws {
        let router = try Router(scheme: "scheme") { router in
            router.route("/foo") { (request: Request) in
                #expect(request.url.received.hasPrefix("scheme://x-callback-url/foo?a="))
                #expect(request.url.segments == ["foo"])
                #expect(request.source == "caller")
                #expect(request.url.success == "app://ok")
                #expect(request.url.error == "app://failed")
                #expect(request.url.cancel == "app://cancelled")
                #expect(request.parameters == ["a": request.parameters["a"], "b": "2"])
                switch request.parameters["a"] {
                case "1": return .success(["extra": "a b"])
                default: return .cancel
                }
            }
        }
        let callbacks = "x-source=caller&x-success=app://ok&x-error=app://failed&x-cancel=app://cancelled"
        let answer = await router.handle("scheme://x-callback-url/foo?a=1&b=2&\(callbacks)")
        #expect(answer.url == "app://ok?extra=a%20b")
        #expect(await router.handle("scheme://x-callback-url/foo?a=2&b=2&\(callbacks)").url == "app://cancelled")
    }

    @Test func aRouterMayHaveManySchemes() async throws {
        let router = try Router(scheme: "app") { router in
            router.route("/foo") { "app" }
            router.group(scheme: "ttexpander") { group in
                group.route("/foo") { "expander" }
            }
        }
        #expect(await router.handle("app:/foo").response == .success(["result": "app"]))
        #expect(await router.handle("ttexpander:/foo").response == .success(["result": "expander"]))
        let error = CallbackError(.notFound, "No action has this scheme.")
        #expect(await router.handle("other:/foo").response == .error(error))
    }

    @Test func theErrorIsReportedAndAnswered() async throws {
        let told = Mutex<[String]>([])
        let router = try Router(
            scheme: "app", onError: { error, _ in told.withLock { $0.append("\(error)") } }
        ) { router in
            router.route("/foo") { throw CallbackError(.init(rawValue: 12), "Invalid URL callback.") }
        }
        let answer = await router.handle("app:/foo?x-error=caller:failed")
        #expect(answer.url == "caller:failed?errorCode=12&errorMessage=Invalid%20URL%20callback.")
        #expect(told.withLock { $0 } == ["12 Invalid URL callback."])
    }
}
