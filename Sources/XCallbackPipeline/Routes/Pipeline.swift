import XCallbackRouting
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
    /// A scheme of the pipeline, with the routes of its actions.
    package final class Scheme: Sendable {
        /// The name and the settings.
        package let settings: SchemeSettings
        /// The routes of the scheme, in the order of the configuration.
        let routes: [Route]
        let table: RoutingTable
        /// The first segments that are text: desktops change the case of those that were a host.
        private let firstTexts: Set<[UInt8]>
        private let hasCapitals: Bool

        /// The name, in lower case.
        package var name: String { settings.name }

        init(_ settings: SchemeSettings, routes: [Route], table: RoutingTable) {
            self.settings = settings
            self.routes = routes
            self.table = table
            let isFolded = settings.syntax == .callback && !settings.ignoresHosts
            firstTexts = isFolded ? Set(routes.flatMap(\.pattern.firstTexts)) : []
            hasCapitals = firstTexts.contains { $0.contains(where: isCapital) }
        }

        /// Changes the action of a URL to what routes see: without an ignored host, or with a host spelled as in a route.
        @inline(__always)
        func prepare(_ url: inout ActionURL) {
            guard url.hostIsSegment else { return }
            if settings.ignoresHosts {
                url.ignoreHost()
            } else if let host = spelling(of: url.storage.bytes.span.extracting(url.segmentRanges[0])) {
                url.replaceHost(with: host.span)
            }
        }

        /// Returns the text in a route that differs from a host only in case; nil if there is none, or an equal one.
        @inline(__always)
        private func spelling(of host: Span<UInt8>) -> [UInt8]? {
            hasCapitals || host.indices.contains { isCapital(host[$0]) } ? search(host) : nil
        }

        @inline(never)
        private func search(_ host: Span<UInt8>) -> [UInt8]? {
            if firstTexts.contains([UInt8](copying: host)) { return nil }
            return firstTexts.filter { areEqualIgnoringCase($0.span, host) }.min { $0.lexicographicallyPrecedes($1) }
        }

        /// Finds the route of a request; returns the reason if there is none.
        @inline(__always)
        fileprivate func match(_ request: inout Request, into captures: inout [Capture]) -> CallbackError? {
            if let offset = request.url.oddHostOffset {
                request.matchedRoute = nil
                return ActionURLError(.notAHostName, at: offset).callbackError
            }
            prepare(&request.url)
            guard let index = routeIndex(of: request.url, into: &captures) else {
                request.matchedRoute = nil
                return .unknownAction
            }
            // The route is often that of the previous request, and counting a reference is an atomic operation.
            if request.matchedRoute !== routes[index] { request.matchedRoute = routes[index] }
            // What no rule and no question has seen must not reach a program.
            if request.url.hasPassword, !routes[index].declaredFacts.contains(.password) { return .passwordNotDeclared }
            if !routes[index].reach.isDisjoint(with: request.origin.bit) {
                return settings.syntax == .text ? fault(of: captures, in: request) : nil
            }
            return request.origin == .agent ? .notForAgents : .privateRoute
        }

        /// Returns the reason why the rest of a text is invalid: after a colon, it would be another one.
        @inline(never)
        private func fault(of captures: [Capture], in request: borrowing Request) -> CallbackError? {
            let bytes = request.url.storage.bytes
            guard captures.contains(where: { bytes[$0.range].starts(with: "//".utf8) }) else { return nil }
            return CallbackError(.badParameter, "The text after the route's own must not begin with '//'.")
        }

        /// Returns the position of the route of a prepared URL, or nil; also returns its captures, if the route uses them.
        @inline(__always)
        func routeIndex(of url: borrowing ActionURL, into captures: inout [Capture]) -> Int? {
            if settings.syntax != .callback { return otherRouteIndex(of: url, into: &captures) }
            return routeIndex(of: url, url.segmentRanges.span, into: &captures)
        }

        @inline(__always)
        private func routeIndex(
            of url: borrowing ActionURL, _ segments: Span<Range<Int>>, into captures: inout [Capture]
        ) -> Int? {
            let bytes = url.storage.bytes.span
            guard let match = table.match(bytes, segments: segments, scratch: &captures) else { return nil }
            if routes[match.route].chain.usesParameters {
                table.capture(match, bytes, segments, into: &captures)
            }
            return match.route
        }

        /// Finds the route of a URL of another syntax; of two readings, the one with more text at the start wins.
        @inline(never)
        private func otherRouteIndex(of url: borrowing ActionURL, into captures: inout [Capture]) -> Int? {
            var best: (index: Int, captures: [Capture])?
            for skipsSlashes in settings.syntax == .text ? [false, true] : [true] {
                let segments = url.segments(skippingSlashes: skipsSlashes)
                guard let index = routeIndex(of: url, segments.span, into: &captures) else { continue }
                let pattern = routes[index].pattern
                if pattern.beginsWithSlashes == skipsSlashes { continue }
                if let best, routes[best.index].pattern.literalCount >= pattern.literalCount { continue }
                best = (index, captures)
            }
            captures = best?.captures.map { Capture(index: $0.index, range: url.wholeRange($0.range)) } ?? []
            return best?.index
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
    /// The schemes of syntax `callback`.
    private let ownNames: SchemeList
    private let hasOtherSyntaxes: Bool
    private let schemeList: ConstantList<Scheme>

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
        schemeList = ConstantList(compiled)
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
        let error = schemeList.withElement(at: index) { $0.match(&request, into: &captures) }
        if let error { throw error }
    }
}

extension Route {
    /// The facts about a route for the routing table.
    var routingEntry: RoutingTable.Route {
        guard chain.declaresInput else { return RoutingTable.Route(pattern: pattern) }
        let types = pattern.captures.map { capture in
            let type = stages.input.declarations.first(named: capture.name)?.rule.type ?? .string
            return type == .string ? nil : type.captureType
        }
        return RoutingTable.Route(pattern: pattern, types: types)
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

private func isCapital(_ byte: UInt8) -> Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte }
