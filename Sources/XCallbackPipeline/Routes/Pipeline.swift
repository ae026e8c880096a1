import XCallbackBytes
import XCallbackRouting
package import XCallbackURL

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
    /// A scheme of the pipeline, with the routes of its actions.
    package final class Scheme: Sendable {
        /// The name, in lower case.
        package let name: String
        /// Whether a host other than `x-callback-url` is ignored, instead of being the first segment.
        package let ignoresHosts: Bool
        /// The routes of the scheme, in the order of the configuration.
        let routes: [Route]
        let table: RoutingTable

        init(_ name: String, ignoresHosts: Bool, routes: [Route], table: RoutingTable) {
            self.name = name
            self.ignoresHosts = ignoresHosts
            self.routes = routes
            self.table = table
        }

        /// Finds the route of a request; returns the reason if there is none.
        @inline(__always)
        fileprivate func match(_ request: inout Request, into captures: inout [Capture]) -> CallbackError? {
            if let offset = request.url.oddHostOffset {
                request.matchedRoute = nil
                return ActionURLError(.notAHostName, at: offset).callbackError
            }
            // From here on, the action contains only what routes see.
            if ignoresHosts { request.url.ignoreHost() }
            guard let index = routeIndex(of: request.url, into: &captures) else {
                request.matchedRoute = nil
                return .unknownAction
            }
            // The route is often that of the previous request, and counting a reference is an atomic operation.
            if request.matchedRoute !== routes[index] { request.matchedRoute = routes[index] }
            if !routes[index].reach.isDisjoint(with: request.origin.bit) { return nil }
            return request.origin == .agent ? .notForAgents : .privateRoute
        }

        /// Returns the position of the route of a URL, or nil; also returns its captures, if the route uses them.
        @inline(__always)
        func routeIndex(of url: borrowing ActionURL, into captures: inout [Capture]) -> Int? {
            let start = ignoresHosts && url.facts.hostIsSegment ? 1 : 0
            let segments = url.segmentRanges.span.extracting(start...)
            let bytes = url.storage.bytes.span
            guard let match = table.match(bytes, segments: segments, scratch: &captures) else { return nil }
            if routes[match.route].chain.usesParameters {
                table.capture(match, bytes, segments: segments, into: &captures)
            }
            return match.route
        }
    }

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
    private let schemeList: ConstantList<Scheme>

    /// Creates a pipeline.
    ///
    /// - Parameters:
    ///   - schemes: The schemes in lower case, and whether each ignores hosts.
    ///   - routes: The routes; each has one of the schemes.
    ///   - callbackRules: The rules for the URLs that receive answers.
    ///   - maximumParameters: The maximum number of parameters of a request.
    ///   - maximumRedirects: The maximum number of consecutive redirects.
    ///   - fallback: The answer to requests without a route.
    /// - Throws: ``RouteConflicts`` if two routes answer the same URL with equal rank.
    package init(
        schemes: [(name: String, ignoresHosts: Bool)], routes: [Route], callbackRules: CallbackRules,
        maximumParameters: Int = ActionURL.defaultMaximumItems, maximumRedirects: Int = 8, fallback: Route? = nil
    ) throws(RouteConflicts) {
        var conflicts: [RouteConflict] = []
        var compiled: [Scheme] = []
        for (name, ignoresHosts) in schemes {
            let ownRoutes = routes.filter { $0.scheme == name }
            do {
                let table = try RoutingTable(ownRoutes.map(\.routingEntry))
                compiled.append(Scheme(name, ignoresHosts: ignoresHosts, routes: ownRoutes, table: table))
            } catch {
                conflicts += error.conflicts.map { conflict in
                    RouteConflict(
                        first: ownRoutes[conflict.first], second: ownRoutes[conflict.second],
                        example: conflict.example.map { "\(name):\($0)" })
                }
            }
        }
        guard conflicts.isEmpty else { throw RouteConflicts(conflicts: conflicts) }
        self.schemes = compiled
        self.routes = routes
        schemeNames = SchemeList(compiled.map(\.name))
        schemeList = ConstantList(compiled)
        self.callbackRules = callbackRules
        self.maximumParameters = maximumParameters
        self.maximumRedirects = maximumRedirects
        self.fallback = fallback
    }

    /// The route of a URL; nil if there is none.
    package func route(answering url: borrowing ActionURL) -> Route? {
        let index = schemeNames.firstIndex(of: url.storage.bytes.span.extracting(url.schemeRange))
        guard let index else { return nil }
        var captures: [Capture] = []
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
        guard (try? action.parse(url, maximumItems: maximumParameters)) != nil else { return self }
        guard let route = route(answering: action), !areEqual(route.identity, identity) else { return self }
        return Pipeline(answeringAllWith: .otherRoute, callbackRules)
    }

    /// Whether a URL names one of the pipeline's own schemes.
    func owns(_ url: borrowing ActionURL) -> Bool {
        schemeNames.contains(url.storage.bytes.span.extracting(url.schemeRange))
    }

    /// Whether a URL names one of the pipeline's own schemes.
    func owns(_ url: Callback) -> Bool {
        schemeNames.contains(url.bytes.span.extracting(url.layout.scheme))
    }

    /// Whether a scheme is one of the pipeline's own.
    func owns(scheme: Span<UInt8>) -> Bool { schemeNames.contains(scheme) }

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
        let error = schemeList.withElement(at: index) { $0.match(&request, into: &captures) }
        if let error { throw error }
    }
}

extension Route {
    /// The facts about a route for the routing table.
    var routingEntry: RoutingTable.Route {
        guard chain.declaresInput else { return RoutingTable.Route(pattern: pattern) }
        let types = pattern.captures.compactMap { capture -> (name: String, type: CaptureType)? in
            let type = stages.input.declarations.first(named: capture.name)?.rule.type ?? .string
            return type == .string ? nil : (capture.name, type.captureType)
        }
        return RoutingTable.Route(pattern: pattern, types: CaptureTypes(types))
    }
}

extension CallbackError {
    fileprivate static let otherRoute = CallbackError(
        .unknownAction, "Another route answers this URL, not the requested one.")
}
