import Synchronization

/// The place of a route's counts: an index into a table of the counter, with a mark of the table above it.
package enum CountIndex {
    /// Requests that no route answers.
    package static let none = 0
    /// Routes beyond those with separate counts.
    package static let others = 1
    /// The answers of other applications to calls, which every pipeline receives.
    package static let callReturn = 2
    /// The first index that a route can have.
    package static let first = 3
    /// The index of a route without an assigned one.
    package static let unassigned = -1
}

extension Route {
    /// The place of the route's counts; the counter assigns it at the first request.
    ///
    /// This is the only mutable part of a route: a request finds its counts without a dictionary lookup.
    package var countIndex: Int {
        get { countPlace.load(ordering: .relaxed) }
        set { countPlace.store(newValue, ordering: .relaxed) }
    }
}

extension Execution {
    /// The place of the request's counts: under the route of its last redirect.
    package var countIndex: Int {
        mutating get { withRoute { _, route, _ in route.countIndex } ?? CountIndex.none }
    }
}
