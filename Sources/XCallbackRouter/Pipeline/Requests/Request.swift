public import XCallbackURL
import XCallbackWire

/// A request on its way to its handler.
///
/// Middleware can change ``parameters`` and ``data``; everything else stays as received.
public struct Request: Sendable {
    /// The URL that names the action; after a redirect, the URL of its target.
    public package(set) var url = ActionURL()
    /// The URL that was received, if a redirect has replaced it.
    package var receivedURL: ActionURL? {
        get { isRedirected ? earlierURL?.url : nil }
        set {
            isRedirected = newValue != nil
            earlierURL = newValue.map(EarlierURL.init)
        }
    }
    /// The ID of the request in a daemon; consecutive requests of a call have the same ID.
    package var id: RequestID?
    /// The process that sent the request.
    public package(set) var peer: Peer
    /// The origin of the request.
    public package(set) var origin: Origin
    /// The origin of the received URL; a redirect does not change it.
    package internal(set) var receivedOrigin: Origin
    /// The route that answers, once it is known.
    package var matchedRoute: Route?
    /// The input of the handler: the captures of the path, then the items of the query.
    ///
    /// An item with the name of a capture is omitted. Once the input is decoded, a list has one item for each element.
    public var parameters = QueryItems()
    /// Whether it has, or an earlier URL of it had, a value that no history and no log may have.
    package internal(set) var hasSecrets = false
    /// Whether the user has allowed it; nil if there was no answer.
    package var isAllowed: Bool?
    /// The name that the client gives itself beside the URL, for URLs in which nothing is reserved.
    package var clientName: String?
    /// Data that middleware passes to later stages.
    public var data: [String: any Sendable] = [:]

    /// Receives the progress that the handler reports; nil if nobody asks for it.
    ///
    /// A value of any type in it makes the compiler pass a request to its stages by address, and not as a copy for each.
    package var progressReceiver: (any ProgressReceiver)?

    /// The time at which a stage that measures durations received the request, in nanoseconds of
    /// ``StageHost/time``.
    package var receivedTime: Int64 = 0

    /// A bit for each policy, by its position in the route, whose secret the request contained.
    var acceptedSecrets: UInt64 = 0

    /// Whether ``url`` is not the URL that was received.
    package private(set) var isRedirected = false
    private var earlierURL: EarlierURL?

    package init(peer: Peer, origin: Origin) {
        self.peer = peer
        self.origin = origin
        receivedOrigin = origin
    }

    /// Restores the URL that was received.
    mutating func restoreURL() {
        if let received = receivedURL { url = received }
        receivedURL = nil
    }

    /// The pattern of the route that answers, with its scheme; empty until a route is found.
    public var route: String { matchedRoute.map { $0.scheme == "*" ? "" : $0.name } ?? "" }

    /// The name that the sending application gives itself: `x-source` of the URL, or beside it.
    public var source: String? { (receivedURL ?? url).source ?? clientName }

    /// The number of bytes of its URLs and parameters.
    package var byteCount: Int {
        url.storage.count + parameters.storage.count + (receivedURL?.storage.count ?? 0) + (clientName?.utf8.count ?? 0)
    }

    /// The URL that was received, even after a redirect.
    package var receivedText: String { (receivedURL ?? url).received }
}

/// The URL that was received, while a redirect has replaced it; an object, so that requests without one stay small.
private final class EarlierURL: Sendable {
    let url: ActionURL

    init(_ url: ActionURL) {
        self.url = url
    }
}
