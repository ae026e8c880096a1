package import XCallbackPipeline
import XCallbackWire

/// A filter for the list of routes.
package struct CatalogueQuery: Sendable {
    private let schemes: [String]?
    private let prefix: [UInt8]
    /// The origins that must reach a route.
    private let origins: OriginSet

    /// Creates a filter; by default it matches all routes.
    ///
    /// - Parameters:
    ///   - schemes: The schemes in any case; nil for all.
    ///   - prefix: How the names of the routes begin.
    ///   - origins: The origins that must reach a route.
    package init(schemes: [String]? = nil, prefix: String = "", reachedFrom origins: OriginSet = []) {
        self.schemes = schemes?.map { $0.lowercased() }
        self.prefix = Array(prefix.utf8)
        self.origins = origins
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

extension RouterConfiguration {
    /// Returns the list of routes as the JSON object of a reply to `Routes`; slow, so do not call it on an event loop.
    ///
    /// - Parameters:
    ///   - query: The filter.
    ///   - revision: The number of the configuration.
    ///   - showsPlaces: Whether the list includes places in the configuration.
    /// - Returns: The object.
    package func routeList(_ query: CatalogueQuery, revision: Int, showsPlaces: Bool) -> [UInt8] {
        var text = Array("{\"routes\":[".utf8)
        var isFirst = true
        for (number, route) in pipeline.routes.enumerated() where query.matches(route) {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            text += routeJSON(number, showsPlace: showsPlaces).bytes
        }
        text += "],\"revision\":\(revision),\"schemes\":\(JSONValue.array(schemesJSON(for: query)))}".utf8
        return text
    }

    /// The schemes that a query lists, with their titles and descriptions.
    private func schemesJSON(for query: CatalogueQuery) -> [JSONValue] {
        pipeline.schemes.filter { query.shows(scheme: $0.name, of: pipeline) }.map { scheme in
            let texts = catalogue.schemes.first { $0.scheme == scheme.name }
            return [
                "scheme": .string(scheme.name), "title": .text(texts?.title), "description": .text(texts?.description),
            ]
        }
    }
}
