import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// A request that starts to wait, or an answer, as watchers see it.
struct RequestEvent {
    private enum Kind: String {
        case request, answer
    }

    private let kind: Kind
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
    private var response: Response?
    private var isHandled = false
    private var answer: String?
    private var duration: Duration?

    /// The outcome; nil while the request waits.
    var outcome: Response.Kind? { response?.kind }

    /// Creates the event of a request that waits for its handler.
    init(waiting execution: borrowing Execution, number: Int) {
        self.init(.request, execution, number)
    }

    /// Creates the event of an answer.
    init(answered execution: borrowing Execution, _ answer: String, number: Int, after duration: Duration) {
        self.init(.answer, execution, number)
        response = execution.response
        isHandled = execution.isHandled
        self.answer = execution.hasSecretAnswer ? nil : answer
        self.duration = duration
    }

    private init(_ kind: Kind, _ execution: borrowing Execution, _ number: Int) {
        let request = execution.request
        self.kind = kind
        self.number = number
        id = request.id
        url = request.hasSecrets ? nil : request.receivedText
        route = request.matchedRoute.flatMap { $0.scheme == "*" ? nil : $0.name }
        origin = request.receivedOrigin
        peer = request.peer
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
                "kind": .string(kind.rawValue), "time": .number(JSONNumber(seconds: time)),
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
