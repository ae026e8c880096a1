package import XCallbackJSON
package import XCallbackPipeline

/// Which routes somebody wants to know of.
package struct CatalogueQuery: Sendable {
    private let schemes: [String]?
    private let prefix: [UInt8]
    /// The origins that must reach a route.
    private let origins: OriginSet

    /// Reads the parameters of `Routes`; whoever says nothing gets all.
    ///
    /// - Parameters:
    ///   - parameters: The parameters.
    ///   - origins: The origins that must reach a route.
    package init(_ parameters: JSONValue, reachedFrom origins: OriginSet = []) {
        self.origins = origins
        schemes = parameters["schemes"]?.elements?.compactMap { $0.text?.lowercased() }
        prefix = Array((parameters["prefix"]?.text ?? "").utf8)
    }

    /// Whether a scheme is shown: all are, but to those who may know of some routes only.
    fileprivate func shows(scheme: String, of pipeline: Pipeline) -> Bool {
        origins.isEmpty || pipeline.routes.contains { $0.scheme == scheme && $0.reach.isSuperset(of: origins) }
    }

    /// Whether a route is wanted.
    package func matches(_ route: Route) -> Bool { route.reach.isSuperset(of: origins) && concerns(route) }

    /// Whether a route is wanted, or was before it has changed: who may reach it can have.
    package func concerns(_ route: Route) -> Bool {
        route.name.utf8.starts(with: prefix)
            && (schemes?.contains(route.scheme) ?? true)
    }
}

/// A part of the list of routes: what a reply to `Routes` holds.
package struct CataloguePage: Sendable {
    /// How many bytes of routes a page has at most, unless a single one has more.
    private static let size = 65_536

    /// The page as an object in JSON.
    package private(set) var text: [UInt8] = []
    /// The number of the route at which the next page begins; nil if this is the last one.
    package private(set) var next: Int?

    /// Makes a page, which takes some time: not on an event loop.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - revision: What tells it from others.
    ///   - query: The routes that are wanted.
    ///   - start: The number of the first route that is looked at.
    ///   - showsPlaces: Whether places in the configuration are shown.
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
    /// The schemes of which somebody may know, with what they say of themselves.
    fileprivate func schemesJSON(for query: CatalogueQuery) -> [JSONValue] {
        pipeline.schemes.filter { query.shows(scheme: $0.name, of: pipeline) }.map { scheme in
            let texts = catalogue.schemes.first { $0.scheme == scheme.name }
            return [
                "scheme": .string(scheme.name), "title": .text(texts?.title), "description": .text(texts?.description),
            ]
        }
    }
}
