import Synchronization
import Testing
import XCallback

// What the README of Yukina shows, here.

enum MessagePolicies {
    static let isAuthenticated = Policy { request in
        request.source == "mail" ? .verified : .failed(CallbackError(.forbidden, "Only for mail."))
    }
}

enum MessageController {
    struct Message: Codable {
        let messageID: Int
        enum CodingKeys: String, CodingKey { case messageID = "message_id" }
    }

    static func showMessages(_ message: Message) async throws -> Message { message }
}

enum AppLinkMiddleware {
    @Sendable static func appLinkParser(_ request: inout Request) -> MiddlewareResult {
        if request.source == "someApplication" {
            request.data["someApplicationData"] = "some object"
        }
        return .proceed
    }
}

struct YukinaTests {
    static func router() throws -> Router {
        try Router(scheme: "myapp") { router in
            router.use(AppLinkMiddleware.appLinkParser)
            router.route(
                "/messages/:message_id", isPublic: true, policies: [MessagePolicies.isAuthenticated],
                MessageController.showMessages)
            router.route("/data") { (request: Request) in
                .success(["data": request.data["someApplicationData"].map { "\($0)" }])
            }
        }
    }

    @Test func aCaptureIsAParameter() async throws {
        let response = try await Self.router().handle("myapp:/messages/1?x-source=mail", from: .desktop).response
        #expect(response == .success(["message_id": "1"]))
    }

    @Test func aPolicyThatFailsEndsTheRequest() async throws {
        let response = try await Self.router().handle("myapp:/messages/1").response
        #expect(response == .error(CallbackError(.forbidden, "Only for mail.")))
    }

    @Test func thePlaceOfAPolicyDoesNotMatter() async throws {
        let ok = Policy { _ in .verified }
        for policies in [[ok, MessagePolicies.isAuthenticated], [MessagePolicies.isAuthenticated, ok]] {
            let router = try Router(scheme: "myapp") { router in router.route("/a", policies: policies) {} }
            #expect(await router.handle("myapp:/a").response == .error(CallbackError(.forbidden, "Only for mail.")))
        }
    }

    @Test func aPrivateRouteIsOutOfReachFromOutside() async throws {
        let router = try Self.router()
        guard case .error(let error) = await router.handle("myapp:/data", from: .desktop).response else {
            Issue.record("the route was reached")
            return
        }
        #expect(error.code == .forbidden)
    }

    @Test func theProgramItselfSendsRequests() async throws {
        let router = try Self.router()
        let response = await router.send("/data?x-source=someApplication")
        #expect(response == .success(["data": "some object"]))
        #expect(await router.send("/data") == .success(["data": nil]))
    }

    @Test func middlewareSeesEachRequestAlsoOneWithoutARoute() async throws {
        let seen = Mutex<[String]>([])
        let router = try Router(scheme: "myapp") { router in
            router.use { request in
                seen.withLock { $0.append(request.url.received) }
                request.parameters.append("mark", "1")
                request.data["mark"] = 2
                return request.url.segments == ["old"] ? .answer(.success(["moved": "true"])) : .proceed
            }
            router.route("/a") { request in
                .success(["item": request.parameters["mark"], "data": request.data["mark"].map { "\($0)" }])
            }
        }
        #expect(await router.handle("myapp:/a").response == .success(["item": "1", "data": "2"]))
        #expect(await router.handle("myapp:/old").response == .success(["moved": "true"]))
        let error = CallbackError(.notFound, "No route answers this action.")
        #expect(await router.handle("myapp:/none").response == .error(error))
        #expect(seen.withLock { $0 } == ["myapp:/a", "myapp:/old", "myapp:/none"])
    }
}
