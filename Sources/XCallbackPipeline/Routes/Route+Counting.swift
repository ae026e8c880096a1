import Synchronization

/// Where the requests of a route are counted: an index into a table of the counter, with a mark of the table above it.
package enum CountIndex {
    /// Requests that no route answers.
    package static let none = 0
    /// Routes beyond those with counts of their own.
    package static let others = 1
    /// The answers of other applications to calls, which every pipeline takes.
    package static let callReturn = 2
    /// The first index that a route can have.
    package static let first = 3
    /// The index of a route that has none yet.
    package static let unassigned = -1
}

extension Route {
    /// Where its requests are counted; the counter assigns it at the first request.
    ///
    /// It is the only mutable part of a route: a request finds its counts without a dictionary lookup.
    package var countIndex: Int {
        get { countPlace.load(ordering: .relaxed) }
        set { countPlace.store(newValue, ordering: .relaxed) }
    }
}

extension Walk {
    /// Where the request is counted: under the route of its last redirect.
    package var countIndex: Int {
        mutating get { withRoute { _, route, _ in route.countIndex } ?? CountIndex.none }
    }
}
