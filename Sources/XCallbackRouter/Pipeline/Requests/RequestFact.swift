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
    /// The text after `#`, as received.
    case fragment
    /// The user name, the password, the host and the port of a URL of syntax `url`.
    case user, password, host, port

    /// The facts that a URL can lack.
    package static let partsOfURLs: [Self] = [.fragment, .user, .password, .host, .port]

    /// The name of a parameter that is the fact, if the route declares it.
    package var parameterName: String { "@\(rawValue)" }
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
        case .route: matchedRoute?.name ?? ""
        case .id: id?.description
        case .fragment, .user, .password, .host, .port: (receivedURL ?? url).text(of: fact)
        }
    }
}

extension ActionURL {
    /// The text of a part of the URL; nil if it is absent.
    func text(of fact: RequestFact) -> String? {
        switch fact {
        case .fragment: fragment
        case .user: user
        case .password: password
        case .host: host
        case .port: port
        case .url, .action, .query, .source, .origin, .uid, .route, .id: nil
        }
    }
}
