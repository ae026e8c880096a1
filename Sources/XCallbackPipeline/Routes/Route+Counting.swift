import Synchronization

/// Where the requests of a route are counted: an index into a table of whoever counts, with a mark of the table above it.
package enum CountIndex {
    /// Requests that no route answers.
    package static let none = 0
    /// Routes beyond those that are counted one by one.
    package static let others = 1
    /// The answers of other applications to calls, which every pipeline takes.
    package static let callReturn = 2
    /// The first index that a route can be given.
    package static let first = 3
    /// That of a route which was not given one yet.
    package static let unassigned = -1
}

extension Route {
    /// Where its requests are counted; whoever counts them assigns it, at the first request.
    ///
    /// It is the one thing about a route that changes: a request finds its counts without a look into a dictionary.
    package var countIndex: Int {
        get { countPlace.load(ordering: .relaxed) }
        set { countPlace.store(newValue, ordering: .relaxed) }
    }
}

extension Walk {
    /// Where the request is counted: under the route that it was led to last.
    package var countIndex: Int {
        mutating get { withRoute { _, route, _ in route.countIndex } ?? CountIndex.none }
    }
}
