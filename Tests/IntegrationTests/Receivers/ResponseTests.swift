import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Responses of clients to the requests that they receive.
@Suite(.blocking)
struct ResponseTests {
    /// A client that sends a request, one that receives it, and one that responds to it.
    private struct Exchange {
        let (receiver, asker, responder): (RouterClient, RouterClient, RouterClient)
        private let daemon: RunningDaemon

        init() throws {
            daemon = try RunningDaemon(
                """
                schemes: [app]
                routes:
                  - { route: "app:/edit/:id", deliver: editor }
                """)
            receiver = try RouterClient(daemon.socket)
            asker = try RouterClient(daemon.socket)
            responder = try RouterClient(daemon.socket)
            try receiver.receive("editor")
        }

        /// Sends a request, and returns it as the receiver gets it.
        func request(_ url: String = "app:/edit/1") throws -> JSONValue {
            try asker.send("Open", ["url": .string(url)])
            return try receiver.request()
        }

        /// Responds to a request, and returns the name of the resulting error.
        func errorOfResponding(to request: JSONValue, _ response: JSONValue = ["outcome": "success"]) -> String? {
            guard case .object(let members) = response else { return nil }
            let parameters = JSONValue.object(members + [.init("id", request["id"] ?? .null)])
            return errorName { _ = try responder.call("Respond", parameters) }
        }
    }

    @Test func aResponseIsTakenOnce() throws {
        let exchange = try Exchange()
        let request = try exchange.request()
        let error: JSONValue = ["outcome": "error", "code": .number(42), "message": "not today"]
        #expect(exchange.errorOfResponding(to: request, error) == nil)
        let answer = try exchange.asker.reply()
        #expect(answer["code"]?.integer == 42)
        #expect(answer["message"]?.text == "not today")
        #expect(answer["by"]?.text == "handler")
        #expect(exchange.errorOfResponding(to: request, error) == "org.xcallback.Router.AlreadyAnswered")
        let forged: JSONValue = ["id": "0123456789abcdef"]
        #expect(exchange.errorOfResponding(to: forged) == "org.xcallback.Router.UnknownRequest")
    }

    @Test func theRequestsThatEndedLastAreRemembered() throws {
        let exchange = try Exchange()
        var requests: [JSONValue] = []
        for number in 0..<4_200 {
            requests.append(try exchange.request("app:/edit/\(number)"))
            try exchange.responder.respond(to: requests[number], [("n", "\(number)")])
            expect(try exchange.asker.reply()["items"], equals: [["name": "n", "value": .string("\(number)")]])
        }
        #expect(Set(requests.map { $0["id"]?.text }).count == requests.count)
        // Too many others have ended after it.
        #expect(exchange.errorOfResponding(to: requests[0]) == "org.xcallback.Router.UnknownRequest")
        let forged: JSONValue = ["id": .string(String(repeating: "0", count: 32))]
        #expect(exchange.errorOfResponding(to: forged) == "org.xcallback.Router.UnknownRequest")
        #expect(exchange.errorOfResponding(to: requests[200]) == "org.xcallback.Router.AlreadyAnswered")
        #expect(exchange.errorOfResponding(to: requests[4_199]) == "org.xcallback.Router.AlreadyAnswered")
    }

    static let impossible: [JSONValue] = [
        ["outcome": "error", "code": .number(JSONNumber(UInt64.max))], ["outcome": "error", "code": .number(0)],
        ["outcome": "error", "message": "a\0"], ["outcome": "redirect"],
        ["outcome": "success", "items": [["name": "x-success", "value": "a"]]],
        ["outcome": "success", "items": [["name": "a", "value": "\0"]]],
        ["outcome": "success", "items": [["name": "a\0b", "value": .null]]],
    ]

    @Test(arguments: impossible)
    func aResponseThatNoAnswerCanHoldIsRefused(response: JSONValue) throws {
        let exchange = try Exchange()
        let request = try exchange.request()
        #expect(exchange.errorOfResponding(to: request, response) == "org.varlink.service.InvalidParameter")
        // The response is still awaited.
        try exchange.responder.respond(to: request)
        expect(try exchange.asker.reply()["outcome"]?.text, equals: "success")
    }

    @Test func aResponseMayGoWithoutAReply() throws {
        let exchange = try Exchange()
        let request = try exchange.request()
        let parameters: JSONValue = ["id": request["id"] ?? .null, "outcome": "cancel"]
        try exchange.responder.send("Respond", parameters, mode: .oneway)
        expect(try exchange.asker.reply()["outcome"]?.text, equals: "cancel")
        #expect(exchange.errorOfResponding(to: request) == "org.xcallback.Router.AlreadyAnswered")
    }
}
