import TestSupport
import Testing
import XCallback
import XCallbackTesting
import XCallbackWire

/// Answers that a client wants delivered.
@Suite(.timeLimit(.minutes(10)))
struct FollowTests {
    private static let configuration = """
        schemes: [notes, todo]
        callbacks: { allow: [app] }
        routes:
          - { route: notes:/echo, public: true, respond: { text: "{text}" } }
          - { route: notes:/private, respond: { secret: 1 } }
          - { route: notes:/slow, public: true, exec: ["true"] }
          - { route: notes:/fail, public: true, exec: ["false"] }
          - { route: notes:/inside, public: true, redirect: "notes:/echo?text=in" }
          - { route: notes:/outside, public: true, redirect: "app:/there" }
          - { route: "todo:/add{/:kind}", public: true, respond: { added: "{text}" } }
        """

    /// A URL, the result of following its answer, and the URL left to open.
    static let followed: [(url: String, response: Response, open: String?)] = [
        ("notes:/echo?text=a", .success(["text": "a"]), nil),
        ("notes:/echo?text=a&x-success=app:/done%3Fid%3D7", .success(["text": "a"]), "app:/done?id=7&text=a"),
        ("notes:/echo?text=a&x-success=todo:/add", .success(["added": "a"]), nil),
        (
            "notes:/echo?text=a&x-success=todo:/add%3Fx-success%3Dapp:/done", .success(["added": "a"]),
            "app:/done?added=a"
        ),
        ("notes:/slow?x-success=todo:/add%3Fx-success%3Dnotes:/slow", .success(["result": ""]), nil),
        ("notes:/slow?x-success=notes:/slow%3Fx-success%3Dapp:/d", .success(["result": ""]), "app:/d?result="),
        ("notes:/inside?x-success=todo:/add", .success(["added": "in"]), nil),
        ("notes:/echo?text=a&x-error=app:/e", .success(["text": "a"]), nil),
        ("notes:/nope", .error(CallbackError(.unknownAction, "No route answers this action.")), nil),
        (
            "notes:/nope?x-error=app:/e", .error(CallbackError(.unknownAction, "No route answers this action.")),
            "app:/e?errorCode=404&errorMessage=No%20route%20answers%20this%20action."
        ),
        (
            "notes:/echo?text=a&x-success=notes:/nope",
            .error(CallbackError(.unknownAction, "No route answers this action.")), nil
        ),
        ("notes:/nope?x-error=todo:/add%3Ftext%3Dfailed", .success(["added": "failed"]), nil),
        (
            "notes:/echo?text=a&x-success=xcallback:/return/none/success",
            .error(
                CallbackError(
                    .refused, "No call has this return URL: it is unknown, or older than the daemon.")),
            nil
        ),
    ]

    private let daemon: RunningDaemon
    private let client: Client

    init() throws {
        daemon = try RunningDaemon(Self.configuration)
        client = Client(socket: daemon.socket)
    }

    @Test func anAnswerIsTakenToWhomItIsFor() async throws {
        for (url, response, open) in Self.followed {
            let answer = try await client.open(url, from: .desktop, following: true)
            #expect(answer.response == response, "\(url)")
            #expect(answer.open == open, "\(url)")
        }
    }

    @Test func aRedirectToAnotherApplicationIsHandedOver() async throws {
        let answer = try await client.open("notes:/outside?x-success=app:/d", from: .desktop, following: true)
        #expect(answer.open == "app:/there?x-success=app%3A%2Fd")
    }

    @Test func onlyWhoAsksForDeliveryGetsIt() async throws {
        let answer = try await Client(socket: daemon.socket).open("notes:/echo?text=a&x-success=todo:/add")
        #expect(answer.url == "todo:/add?text=a")
        #expect(answer.open == nil)
        let client = try RouterClient(daemon.socket)
        for isDelivered in [true, false, true, false] {
            let url: JSONValue = "notes:/echo?text=a&x-success=app:/d"
            let reply = try client.call("Open", isDelivered ? ["url": url, "follow": .bool(true)] : ["url": url])
            #expect(reply["open"]?.text == (isDelivered ? "app:/d?text=a" : nil))
        }
    }

    static let roads = [
        "notes:/private", "notes:/echo?text=a&x-success=notes:/private", "notes:/nope?x-error=notes:/private",
        "notes:/echo?text=a&x-success=todo:/add%3Fx-success%3Dnotes:/private",
        "notes:/inside?x-success=notes:/private", "notes:/slow?x-success=NOTES://X-Callback-URL/pri%2576ate",
        "notes:/fail?x-error=notes:///private/",
    ]

    @Test func noRoadLeadsFromTheDesktopToAPrivateRoute() async throws {
        for url in Self.roads {
            let refused = try await client.open(url, from: .desktop, following: true)
            if case .error(let error) = refused.response {
                #expect(error.code == .refused || error.code == .unknownAction, "\(url)")
            } else {
                Issue.record("\(url): \(refused)")
            }
            // The URLs do lead there, for a program.
            if url.contains("%2576") { continue }
            expect(try await client.open(url, following: true).response, equals: .success(["secret": "1"]), "\(url)")
        }
    }

    /// For no user, and for the user who runs the tests.
    @Test(arguments: ["1", "self"])
    func noSpellingOfACallbackReachesAGuardedRoute(user: String) throws {
        let daemon = try RunningDaemon(GuardedRoutes.configuration(for: user))
        let client = try RouterClient(daemon.socket)
        var random = SeededGenerator(seed: 8)
        var count = 0
        for number in 0..<2000 {
            let spelling = GuardedRoutes.spelling(&random)
            let url =
                number % 2 == 0
                ? try Callback("notes:/any").url(adding: ["x-success": spelling])
                : try Callback("notes:/held/data").url(adding: ["x-error": spelling])
            let call: JSONValue = ["url": .string(url), "origin": "desktop", "follow": .bool(true)]
            let reply = "\(try client.call("Open", call))"
            if reply.contains("reached") { count += 1 }
            #expect(!reply.contains("reached=private") && !reply.contains(#""value":"private""#), "\(spelling)")
            #expect(user == "self" || !reply.contains("reached"), "\(spelling)")
        }
        // The spellings do lead to guarded handlers, for permitted users.
        #expect(user == "1" || count > 100)
    }

    @Test func aChainOfCallbacksIsFollowedEightTimes() async throws {
        var url = "notes:/echo?text=last"
        for _ in 0..<8 { url = try Callback("notes:/echo").url(adding: ["x-success": url]) }
        expect(try await client.open(url, from: .desktop, following: true).response, equals: .success(["text": "last"]))
        url = try Callback("notes:/echo").url(adding: ["x-success": url])
        let answer = try await client.open(url, from: .desktop, following: true)
        #expect(answer.response == .error(CallbackError(.loop, "More than 8 callbacks have followed one another.")))
        #expect(answer.author == .daemon)
        #expect(answer.open == nil)
    }
}
