package import XCallbackURL
import XCallbackWire

/// Two routes that answer the same URL with equal rank.
package struct RouteConflict: Error, Sendable {
    /// The route that was declared first.
    package let first: Route
    /// The other route.
    package let second: Route
    /// A URL that both match, if one is at hand.
    package let example: String?
}

/// All the conflicts among the routes of a pipeline.
package struct RouteConflicts: Error, Sendable {
    /// The conflicts; at least one.
    package let conflicts: [RouteConflict]
}

/// Turns URLs into answers: the schemes, the routes, and their chains.
///
/// It is immutable; a reload creates a new one.
package final class Pipeline: Sendable {
    /// The schemes, in the order of the configuration.
    package let schemes: [Scheme]
    /// The routes of all schemes, in the order of the configuration.
    package let routes: [Route]
    /// The rules for the URLs that receive answers.
    package let callbackRules: CallbackRules
    /// The maximum number of parameters of a request.
    package let maximumParameters: Int
    /// The maximum number of consecutive redirects within the pipeline.
    package let maximumRedirects: Int
    /// The answer to requests without a route; nil to answer them at once.
    package let fallback: Route?
    private let schemeNames: SchemeList
    /// The schemes of syntax `callback`.
    private let ownNames: SchemeList
    private let hasOtherSyntaxes: Bool

    /// Creates a pipeline.
    ///
    /// - Parameters:
    ///   - schemes: The schemes.
    ///   - routes: The routes; each has one of the schemes.
    ///   - callbackRules: The rules for the URLs that receive answers.
    ///   - maximumParameters: The maximum number of parameters of a request.
    ///   - maximumRedirects: The maximum number of consecutive redirects.
    ///   - fallback: The answer to requests without a route.
    /// - Throws: ``RouteConflicts`` if two routes answer the same URL with equal rank.
    package init(
        schemes: [SchemeSettings], routes: [Route], callbackRules: CallbackRules,
        maximumParameters: Int = ActionURL.defaultMaximumItems, maximumRedirects: Int = 8, fallback: Route? = nil
    ) throws(RouteConflicts) {
        var conflicts: [RouteConflict] = []
        var compiled: [Scheme] = []
        for scheme in schemes {
            let ownRoutes = routes.filter { $0.scheme == scheme.name }
            do {
                let table = try RoutingTable(ownRoutes.map(\.routingEntry))
                compiled.append(Scheme(scheme, routes: ownRoutes, table: table))
            } catch {
                conflicts += error.conflicts.map { conflict in
                    RouteConflict(
                        first: ownRoutes[conflict.first], second: ownRoutes[conflict.second],
                        example: conflict.example.map { scheme.url(ofExample: $0) })
                }
            }
        }
        guard conflicts.isEmpty else { throw RouteConflicts(conflicts: conflicts) }
        self.schemes = compiled
        self.routes = routes
        schemeNames = SchemeList(compiled.map(\.name))
        ownNames = SchemeList(schemes.filter { $0.syntax == .callback }.map(\.name))
        hasOtherSyntaxes = schemes.contains { $0.syntax != .callback }
        self.callbackRules = callbackRules
        self.maximumParameters = maximumParameters
        self.maximumRedirects = maximumRedirects
        self.fallback = fallback
    }

    /// The route of a URL; nil if there is none.
    package func route(answering url: ActionURL) -> Route? {
        let index = schemeNames.firstIndex(of: url.storage.bytes.span.extracting(url.schemeRange))
        guard let index else { return nil }
        var (url, captures) = (url, [Capture]())
        schemes[index].prepare(&url)
        return schemes[index].routeIndex(of: url, into: &captures).map { schemes[index].routes[$0] }
    }

    /// Returns a pipeline that answers a URL only with one route of this pipeline: the pipeline itself, or, if another
    /// route would answer, a pipeline that returns an error.
    ///
    /// - Parameters:
    ///   - identity: The identity of the route (``Route/identity``).
    ///   - url: The URL as received.
    /// - Returns: The pipeline.
    package func restricted(to identity: String, for url: Span<UInt8>) -> Pipeline {
        var action = ActionURL()
        // An invalid URL, or one without a route, gets its usual answer.
        guard (try? action.parse(url, as: syntax(of: url), maximumItems: maximumParameters)) != nil else {
            return self
        }
        guard let route = route(answering: action), !areEqual(route.identity, identity) else { return self }
        return Pipeline(answeringAllWith: .otherRoute, callbackRules)
    }

    /// Whether a URL names a scheme of the pipeline.
    func hasScheme(of url: borrowing ActionURL) -> Bool {
        schemeNames.contains(url.storage.bytes.span.extracting(url.schemeRange))
    }

    /// Whether a URL names one of the pipeline's own schemes.
    func owns(_ url: Callback) -> Bool { owns(scheme: url.bytes.span.extracting(url.layout.scheme)) }

    /// Whether a scheme is one of the pipeline's own, whose URLs are callbacks: of syntax `callback`.
    func owns(scheme: Span<UInt8>) -> Bool { ownNames.contains(scheme) }

    /// The syntax of the scheme of a URL.
    @inline(__always)
    package func syntax(of url: Span<UInt8>) -> URLSyntax {
        hasOtherSyntaxes ? searchedSyntax(of: url) : .callback
    }

    @inline(never)
    private func searchedSyntax(of url: Span<UInt8>) -> URLSyntax {
        var end = 0
        while end < url.count, isSchemeByte(url[end], isFirst: end == 0) { end += 1 }
        return schemeNames.firstIndex(of: url.extracting(0..<end)).map { schemes[$0].settings.syntax } ?? .callback
    }

    /// Finds the route of a request.
    ///
    /// - Parameters:
    ///   - request: The request, which gets the route.
    ///   - captures: Receives the captures of the route.
    /// - Throws: ``CallbackError`` if there is no route, or if the route is private.
    func match(_ request: inout Request, into captures: inout [Capture]) throws(CallbackError) {
        let index = schemeNames.firstIndex(of: request.url.storage.bytes.span.extracting(request.url.schemeRange))
        guard let index else {
            captures.removeAll(keepingCapacity: true)
            request.matchedRoute = Route.callReturn(for: request)
            if request.matchedRoute == nil { throw .unknownScheme }
            return
        }
        if let error = schemes[index].match(&request, into: &captures) { throw error }
    }
}

extension Route {
    /// The facts about a route for the routing table.
    var routingEntry: RoutingTable.Entry {
        guard chain.declaresInput else { return RoutingTable.Entry(pattern: pattern) }
        let types = pattern.captures.map { capture in
            let type = stages.input.declarations.first(named: capture.name)?.rule.type ?? .string
            return type == .string ? nil : type.captureType
        }
        return RoutingTable.Entry(pattern: pattern, types: types)
    }
}

/// Answers a request that matches no route, after the middleware of all routes.
package struct NoRouteHandler: Handler {
    private let schemes: [String]

    /// Creates the handler of a router with some schemes, in lower case.
    package init(schemes: [String]) {
        self.schemes = schemes
    }

    package func handle(_ request: Request, _ host: any StageHost) -> Response {
        .error(schemes.contains(request.url.scheme) ? .unknownAction : .unknownScheme)
    }
}

extension CallbackError {
    package static let unknownScheme = CallbackError(.unknownAction, "No action has this scheme.")
    package static let unknownAction = CallbackError(.unknownAction, "No route answers this action.")
    static let notForAgents = CallbackError(.refused, "This action is not offered to assistants.")
    static let privateRoute = CallbackError(
        .refused, "This action is private: the desktop may ask only for routes with 'public: true'.")
    package static let passwordNotDeclared = CallbackError(.malformed, "This action takes no URL with a password.")
    fileprivate static let otherRoute = CallbackError(
        .unknownAction, "Another route answers this URL, not the requested one.")
}
