import XCallbackWire

/// The descriptions of the routes and schemes of a configuration, apart from the routing table: the request path does
/// not read them.
///
/// All texts are in one block of bytes, which is indexed by route number. A configuration without texts has an empty
/// block.
package struct Catalogue: Sendable {
    /// JSON objects without separators.
    private var block: [UInt8] = []
    /// The number of each route with texts and the end of its object, in the order of routes.
    private var entries: [(route: Int, end: Int)] = []
    /// The schemes with a title or a description.
    package let schemes: [SchemeDescription]

    /// Creates a catalogue.
    ///
    /// - Parameters:
    ///   - schemes: The descriptions of schemes.
    ///   - routes: The descriptions of routes, in the order of routes.
    init(schemes: [SchemeDescription] = [], routes: [RouteDescription?] = []) {
        self.schemes = schemes
        for (route, description) in routes.enumerated() {
            guard let description else { continue }
            block += description.json.bytes
            entries.append((route, block.count))
        }
        block = Array(block)
    }

    /// Returns the description of a route.
    ///
    /// - Parameter route: The route's number in the configuration.
    /// - Returns: An object; nil if the route has no description.
    func description(of route: Int) -> JSONValue? {
        // A binary search for the first entry whose route is not before this one.
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].route < route { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].route == route else { return nil }
        let start = low == 0 ? 0 : entries[low - 1].end
        let text = block.span.extracting(start..<entries[low].end)
        return try? JSONValue(parsing: text, maximumSize: text.count)
    }
}

/// The description of a scheme.
package struct SchemeDescription: Hashable, Sendable {
    /// The scheme, in lower case.
    package let scheme: String
    /// The text for a menu.
    package let title: String?
    /// The purpose of the scheme.
    package let description: String?
}
