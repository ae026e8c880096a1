import CLinux
import Glibc
import XCallbackBuiltIns
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL

/// A request that begins to wait, or an answer, as those who watch see it.
struct RequestEvent {
    private enum Kind: String {
        case request, answer
    }

    private let kind: Kind
    private let number: Int
    private let id: RequestID?
    private let time = wallTime()
    private let url: String
    /// The scheme and the pattern of the route; nil if there is none.
    let route: String?
    private let origin: Origin
    /// The process that sent it.
    let peer: Peer
    private var response: Response?
    private var isHandled = false
    private var answer: String?
    private var duration: Duration?

    /// What it has ended in; nil for one that waits.
    var outcome: String? { response?.kind.rawValue }

    /// A request that has to wait for its handler.
    init(waiting walk: borrowing Walk, number: Int) {
        self.init(.request, walk, number)
    }

    /// An answer.
    init(answered walk: borrowing Walk, _ answer: String, number: Int, after duration: Duration) {
        self.init(.answer, walk, number)
        response = walk.response
        isHandled = walk.isHandled
        self.answer = answer
        self.duration = duration
    }

    private init(_ kind: Kind, _ walk: borrowing Walk, _ number: Int) {
        let request = walk.request
        self.kind = kind
        self.number = number
        id = request.id
        url = request.receivedText
        route = request.matchedRoute.flatMap { $0.scheme == "*" ? nil : $0.name }
        origin = request.receivedOrigin
        peer = request.peer
    }

    /// The reply to `Monitor`.
    ///
    /// - Parameter showsValues: Whether URLs are shown, with the values in them.
    /// - Returns: An object.
    func json(showsValues: Bool) -> JSONValue {
        var code = JSONValue.null
        if case .error(let error)? = response { code = .number(JSONNumber(error.code.rawValue)) }
        return [
            "event": [
                "kind": .string(kind.rawValue), "time": .number(JSONNumber(seconds: time)),
                "number": .number(JSONNumber(number)), "id": .text(id?.description),
                "url": showsValues ? .string(url) : .null,
                "route": .text(route), "origin": .string(origin.rawValue), "peer": peer.json,
                "outcome": .text(outcome), "code": code,
                "answer": showsValues ? .text(answer) : .null,
                "by": response == nil ? .null : .string(isHandled ? "handler" : "daemon"),
                "duration": duration.map { .number(JSONNumber(seconds: $0)) } ?? .null,
            ]
        ]
    }

    /// The reply to `Monitor` that tells how many were lost.
    static func gap(_ count: Int) -> JSONValue {
        [
            "event": [
                "kind": .string("missed"), "time": .number(JSONNumber(seconds: wallTime())),
                "missed": .number(JSONNumber(count)),
            ]
        ]
    }
}

/// The time since 1970.
func wallTime() -> Duration {
    var now = timespec()
    _ = xcb_time(CLOCK_REALTIME, &now)
    return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
}
