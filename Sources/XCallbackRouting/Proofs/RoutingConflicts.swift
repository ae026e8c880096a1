/// Says which routes cannot be in one table, because some actions would have no one answer.
package struct RoutingConflicts: Error, Hashable, Sendable {
    /// How many conflicts are looked for.
    package static let limit = 100

    /// The conflicts, by the indices of routes, at least one; each pair of routes is there once.
    package let conflicts: [RoutingConflict]
}

/// Two routes that answer the same action, neither more specific than the other.
package struct RoutingConflict: Hashable, Sendable {
    /// The index of the route that was given first.
    package let first: Int
    /// The index of the other route.
    package let second: Int
    /// An action that both answer, percent-encoded, for example `/notes/1/a`.
    package let witness: String
}

extension RoutingConflicts: CustomStringConvertible {
    /// The conflicts in one line; whoever knows where routes come from can say more.
    package var description: String {
        let list = conflicts.map { "routes \($0.first) and \($0.second) both answer \($0.witness)" }
        return list.joined(separator: ", ")
    }
}
