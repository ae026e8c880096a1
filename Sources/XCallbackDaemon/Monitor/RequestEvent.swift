import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// A request that starts to wait, or an answer, as watchers see it.
struct RequestEvent {
    /// The scheme and the pattern of the route; nil if there is none.
    let route: String?
    /// The process that sent it.
    let peer: Peer
    /// The outcome; nil while the request waits.
    let outcome: Response.Kind?
    private let members: [JSONValue.Member]

    /// Creates the event of an answer, or without one, of a request that waits for its handler.
    init(_ execution: borrowing Execution, number: Int, answer: String? = nil, after duration: Duration? = nil) {
        let (request, response) = (execution.request, answer == nil ? nil : execution.response)
        route = request.matchedRoute.flatMap { $0.scheme == "*" ? nil : $0.name }
        peer = request.peer
        outcome = response?.kind
        var code = JSONValue.null
        if case .error(let error)? = response { code = .whole(error.code.rawValue) }
        members = [
            .init("kind", .string(response == nil ? "request" : "answer")),
            .init("time", .number(JSONNumber(seconds: wallTime()))), .init("number", .whole(number)),
            .init("id", .text(request.id?.description)),
            .init("url", request.hasSecrets ? .null : .string(request.receivedText)), .init("route", .text(route)),
            .init("origin", .string(request.receivedOrigin.rawValue)), .init("peer", peer.json),
            .init("outcome", .text(outcome?.rawValue)), .init("code", code),
            .init("answer", .text(execution.hasSecretAnswer ? nil : answer)),
            .init("by", response == nil ? .null : .string(execution.isHandled ? "handler" : "daemon")),
            .init("duration", duration.map { .number(JSONNumber(seconds: $0)) } ?? .null),
        ]
    }

    /// Returns the reply to `Monitor`.
    ///
    /// - Parameter showsValues: Whether URLs are included, with their values.
    /// - Returns: An object.
    func json(showsValues: Bool) -> JSONValue {
        let shown = members.map { !showsValues && ["url", "answer"].contains($0.name) ? .init($0.name, .null) : $0 }
        return ["event": .object(shown)]
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
