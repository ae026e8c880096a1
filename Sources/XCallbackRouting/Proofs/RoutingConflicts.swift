/// The conflicts between routes, which cannot be in one table, because some actions would have no unique answer.
package struct RoutingConflicts: Error, Hashable, Sendable {
    /// The maximum number of reported conflicts.
    package static let limit = 100

    /// The conflicts, by route indices; at least one, with each pair of routes at most once.
    package let conflicts: [RoutingConflict]
}

/// Two routes that answer the same action, neither more specific than the other.
package struct RoutingConflict: Hashable, Sendable {
    /// The index of the route that comes first.
    package let first: Int
    /// The index of the other route.
    package let second: Int
    /// An action that both routes answer, percent-encoded, for example `/notes/1/a`.
    package let witness: String
}

extension RoutingConflicts: CustomStringConvertible {
    /// The conflicts in one line; code with the origins of routes can add detail.
    package var description: String {
        let list = conflicts.map { "routes \($0.first) and \($0.second) both answer \($0.witness)" }
        return list.joined(separator: ", ")
    }
}
