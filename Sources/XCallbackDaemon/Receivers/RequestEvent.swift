import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// A request that starts to wait, or an answer, as watchers see it.
struct RequestEvent {
    private let number: Int
    private let id: RequestID?
    private let time = wallTime()
    /// The URL; nil if it has a secret.
    private let url: String?
    /// The scheme and the pattern of the route; nil if there is none.
    let route: String?
    private let origin: Origin
    /// The process that sent it.
    let peer: Peer
    /// Nil while the request waits.
    private let response: Response?
    private let isHandled: Bool
    private let answer: String?
    private let duration: Duration?

    /// The outcome; nil while the request waits.
    var outcome: Response.Kind? { response?.kind }

    /// Creates the event of an answer, or without one, of a request that waits for its handler.
    init(_ execution: borrowing Execution, number: Int, answer: String? = nil, after duration: Duration? = nil) {
        let request = execution.request
        self.number = number
        id = request.id
        url = request.hasSecrets ? nil : request.receivedText
        route = request.matchedRoute.flatMap { $0.scheme == "*" ? nil : $0.name }
        origin = request.receivedOrigin
        peer = request.peer
        response = answer == nil ? nil : execution.response
        isHandled = execution.isHandled
        self.answer = execution.hasSecretAnswer ? nil : answer
        self.duration = duration
    }

    /// Returns the reply to `Monitor`.
    ///
    /// - Parameter showsValues: Whether URLs are included, with their values.
    /// - Returns: An object.
    func json(showsValues: Bool) -> JSONValue {
        var code = JSONValue.null
        if case .error(let error)? = response { code = .number(JSONNumber(error.code.rawValue)) }
        return [
            "event": [
                "kind": .string(response == nil ? "request" : "answer"), "time": .number(JSONNumber(seconds: time)),
                "number": .number(JSONNumber(number)), "id": .text(id?.description),
                "url": showsValues ? .text(url) : .null,
                "route": .text(route), "origin": .string(origin.rawValue), "peer": peer.json,
                "outcome": .text(outcome?.rawValue), "code": code,
                "answer": showsValues ? .text(answer) : .null,
                "by": response == nil ? .null : .string(isHandled ? "handler" : "daemon"),
                "duration": duration.map { .number(JSONNumber(seconds: $0)) } ?? .null,
            ]
        ]
    }

    /// Returns the reply to `Monitor` that reports the number of lost events.
    static func gap(_ count: Int) -> JSONValue {
        [
            "event": [
                "kind": .string("missed"), "time": .number(JSONNumber(seconds: wallTime())),
                "missed": .number(JSONNumber(count)),
            ]
        ]
    }
}
