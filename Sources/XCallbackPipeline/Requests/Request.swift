public import XCallbackURL

/// A request on its way to its handler.
///
/// Middleware may change ``parameters`` and ``data``; everything else stays as it was received.
public struct Request: Sendable {
    /// The URL that names the action; after a redirect it is the one that was redirected to.
    public package(set) var url = ActionURL()
    /// The URL that was received, where a redirect has led to another.
    package var receivedURL: ActionURL? {
        get { isRedirected ? earlierURL?.url : nil }
        set {
            isRedirected = newValue != nil
            earlierURL = newValue.map { EarlierURL(url: $0) }
        }
    }
    /// What it is called, if it is one of a daemon; the requests that follow from one another in a call have the same.
    package var id: RequestID?
    /// The process that sent it.
    public package(set) var peer: Peer
    /// The way on which it came in.
    public package(set) var origin: Origin
    /// The way on which the URL came in that was received; a redirect does not change it.
    package internal(set) var receivedOrigin: Origin
    /// The route that answers, once it is known.
    package var matchedRoute: Route?
    /// What the handler gets: the captures of the path, then the items of the query.
    ///
    /// An item with the name of a capture is left out. Once the input is decoded, a list is one item for each element.
    public var parameters = QueryItems()
    /// What middleware leaves for the stages after it.
    public var data: [String: any Sendable] = [:]

    /// When a stage that tells how long requests take has received it, in nanoseconds of ``PipelineState/time``.
    package var receivedTime: Int64 = 0

    /// A bit for each policy of the route, by its position, whose secret the request had.
    var acceptedSecrets: UInt64 = 0

    /// Whether ``url`` is not the URL that was received.
    package private(set) var isRedirected = false
    /// An existential on purpose: a type that holds one is handed on by its address, and not copied for each stage.
    private var earlierURL: (any URLHolder)?

    package init(peer: Peer, origin: Origin) {
        self.peer = peer
        self.origin = origin
        receivedOrigin = origin
    }

    /// Has the URL that was received again.
    mutating func restoreURL() {
        if let received = receivedURL { url = received }
        receivedURL = nil
    }

    /// The pattern of the route that answers, with its scheme; empty until a route is found.
    public var route: String { matchedRoute?.name ?? "" }

    /// The application that sent the request, as it calls itself (`x-source`).
    public var source: String? { (receivedURL ?? url).source }

    /// The URL that was received, whatever a redirect has led to.
    package var receivedText: String { (receivedURL ?? url).received }
}

/// What keeps a URL.
private protocol URLHolder: Sendable {
    var url: ActionURL { get }
}

/// The URL that was received, while a request has another one.
private struct EarlierURL: URLHolder {
    let url: ActionURL
}
