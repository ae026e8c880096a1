package import XCallbackJSON
package import XCallbackPipeline

/// A filter for the list of routes.
package struct CatalogueQuery: Sendable {
    private let schemes: [String]?
    private let prefix: [UInt8]
    /// The origins that must reach a route.
    private let origins: OriginSet

    /// Reads the parameters of `Routes`; without parameters, the filter matches all routes.
    ///
    /// - Parameters:
    ///   - parameters: The parameters.
    ///   - origins: The origins that must reach a route.
    package init(_ parameters: JSONValue, reachedFrom origins: OriginSet = []) {
        self.origins = origins
        schemes = parameters["schemes"]?.elements?.compactMap { $0.text?.lowercased() }
        prefix = Array((parameters["prefix"]?.text ?? "").utf8)
    }

    /// Whether a scheme is listed: always, unless the filter restricts origins and no route of the scheme is reachable
    /// from them.
    fileprivate func shows(scheme: String, of pipeline: Pipeline) -> Bool {
        origins.isEmpty || pipeline.routes.contains { $0.scheme == scheme && $0.reach.isSuperset(of: origins) }
    }

    /// Whether the filter matches a route.
    package func matches(_ route: Route) -> Bool { route.reach.isSuperset(of: origins) && concerns(route) }

    /// Whether the filter matches a route regardless of origins: the origins that reach a changed route can have
    /// changed too.
    package func concerns(_ route: Route) -> Bool {
        route.name.utf8.starts(with: prefix)
            && (schemes?.contains(route.scheme) ?? true)
    }
}

/// A part of the list of routes: the content of a reply to `Routes`.
package struct CataloguePage: Sendable {
    /// The maximum size of the routes of a page in bytes, unless a single route is larger.
    private static let size = 65_536

    /// The page as a JSON object.
    package private(set) var text: [UInt8] = []
    /// The number of the route at which the next page begins; nil if this is the last one.
    package private(set) var next: Int?

    /// Creates a page; slow, so do not call it on an event loop.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - revision: The revision of the configuration.
    ///   - query: The filter.
    ///   - start: The number of the first route to consider.
    ///   - showsPlaces: Whether the page includes places in the configuration.
    package init(
        of configuration: RouterConfiguration, _ revision: Int, _ query: CatalogueQuery, from start: Int,
        showsPlaces: Bool
    ) {
        text += "{\"routes\":[".utf8
        let beginning = text.count
        for (number, route) in configuration.pipeline.routes.enumerated().dropFirst(start) {
            guard query.matches(route) else { continue }
            if Task.isCancelled { break }
            let bytes = configuration.routeJSON(number, showsPlace: showsPlaces).bytes
            if text.count > beginning {
                if text.count + bytes.count > Self.size {
                    next = number
                    break
                }
                text.append(UInt8(ascii: ","))
            }
            text += bytes
        }
        let cursor = next.map { JSONValue.string(String($0)) } ?? .null
        let schemes = start > 0 ? JSONValue.null : .array(configuration.schemesJSON(for: query))
        text += "],\"revision\":\(revision),\"cursor\":\(cursor),\"schemes\":\(schemes)}".utf8
    }
}

extension RouterConfiguration {
    /// The schemes that a query lists, with their titles and descriptions.
    fileprivate func schemesJSON(for query: CatalogueQuery) -> [JSONValue] {
        pipeline.schemes.filter { query.shows(scheme: $0.name, of: pipeline) }.map { scheme in
            let texts = catalogue.schemes.first { $0.scheme == scheme.name }
            return [
                "scheme": .string(scheme.name), "title": .text(texts?.title), "description": .text(texts?.description),
            ]
        }
    }
}
