import XCallbackURL

/// A fact about every request, available to templates and programs.
package enum RequestFact: String, CaseIterable, Sendable {
    /// The URL as received.
    case url
    /// The action and the query in their canonical form.
    case action, query
    /// The sender's name for itself, and the origin.
    case source, origin
    /// The user of the peer.
    case uid
    /// The scheme and the pattern of the route that answers.
    case route
    /// The ID of the request in the log.
    case id = "request-id"
}

extension Request {
    /// The text of a fact; nil if it is absent.
    package func text(of fact: RequestFact) -> String? {
        switch fact {
        case .url: receivedText
        case .action: url.canonicalAction
        case .query: url.canonicalQuery
        case .source: source
        case .origin: origin.rawValue
        case .uid: String(peer.userID)
        case .route: route
        case .id: id?.description
        }
    }
}
