import XCallbackPipeline

/// What is different in the routes of two configurations.
package struct RouteDifference: Hashable, Sendable {
    /// The names of the routes that only the new one has.
    package let added: [String]
    /// The names of the routes that only the old one has.
    package let removed: [String]

    /// Compares two configurations.
    package init(from old: RouterConfiguration, to new: RouterConfiguration) {
        let (before, after) = (old.routeNames, new.routeNames)
        added = after.subtracting(before).sorted()
        removed = before.subtracting(after).sorted()
    }
}

extension RouterConfiguration {
    fileprivate var routeNames: Set<String> { Set(pipeline.schemes.flatMap(\.routes).map(\.name)) }
}
