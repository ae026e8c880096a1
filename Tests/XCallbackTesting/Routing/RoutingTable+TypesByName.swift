package import XCallbackRouter

extension RoutingTable.Entry {
    /// Creates a route with types for the captures of its pattern; types of other names are ignored.
    package init(pattern: RoutePattern, types: [String: CaptureType]) {
        self.init(pattern: pattern, types: pattern.captures.map { types[$0.name] })
    }
}
