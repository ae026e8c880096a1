import XCallbackJSON

/// What the routes and schemes of a configuration say of themselves, beside its table: nothing on a request's way reads it.
///
/// All texts are one block of bytes, in which each route finds its own by its number. A configuration without texts has
/// an empty block.
package struct Catalogue: Sendable {
    /// JSON objects, one after the other.
    private var block: [UInt8] = []
    /// Where that of each route with texts ends, and which route that is, in the order of routes.
    private var entries: [(route: Int, end: Int)] = []
    /// The schemes that say something of themselves.
    package let schemes: [SchemeDescription]

    /// Keeps texts.
    ///
    /// - Parameters:
    ///   - schemes: Those of schemes.
    ///   - routes: Those of routes, in the order of routes.
    init(schemes: [SchemeDescription] = [], routes: [RouteDescription?] = []) {
        self.schemes = schemes
        for (route, description) in routes.enumerated() {
            guard let description else { continue }
            block += description.json.bytes
            entries.append((route, block.count))
        }
        block = Array(block)
    }

    /// What a route says of itself.
    ///
    /// - Parameter route: Its number in the configuration.
    /// - Returns: An object; nil if it says nothing.
    func description(of route: Int) -> JSONValue? {
        // The first entry that is not of a route before it.
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

/// What a scheme says of itself.
package struct SchemeDescription: Hashable, Sendable {
    /// The scheme, in lower case.
    package let scheme: String
    /// What a person reads in a menu.
    package let title: String?
    /// What it is for.
    package let description: String?
}
