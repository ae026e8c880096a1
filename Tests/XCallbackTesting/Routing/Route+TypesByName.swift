package import XCallbackRouting

extension RoutingTable.Route {
    /// Creates a route with types by the names of its captures; those of other names have no meaning.
    package init(pattern: RoutePattern, types: [String: CaptureType]) {
        self.init(pattern: pattern, types: CaptureTypes(types.map { (name: $0.key, type: $0.value) }))
    }
}
