import Glibc

/// Where the daemon is in its life, and what a signal makes of it.
package struct LifeCycle {
    /// What is to be done.
    package enum Step: Hashable {
        /// Load the configuration anew; ``LifeCycle/endReload()`` must follow.
        case reload
        /// Finish what was begun, and accept nothing more.
        case drain
        /// End at once.
        case stop
        /// Nothing.
        case nothing
    }

    private enum Reload {
        case none
        case running
        /// Another one follows, as the files may have changed after they were read.
        case runningAndWanted
    }

    /// Whether the daemon has begun to stop.
    package private(set) var isStopping = false
    private var reload = Reload.none

    /// Whether the configuration is read anew.
    package var isReloading: Bool { reload != .none }

    /// Creates the life of a daemon that begins to serve.
    package init() {}

    /// Takes a signal.
    package mutating func receive(signal: Int32) -> Step {
        if signal == SIGHUP {
            guard !isStopping else { return .nothing }
            defer { reload = reload == .none ? .running : .runningAndWanted }
            return reload == .none ? .reload : .nothing
        }
        // Who asks twice does not want to wait.
        defer { isStopping = true }
        return isStopping ? .stop : .drain
    }

    /// Ends a reload.
    ///
    /// - Returns: ``Step/reload`` if another one must follow.
    package mutating func endReload() -> Step {
        let isWanted = reload == .runningAndWanted && !isStopping
        reload = isWanted ? .running : .none
        return isWanted ? .reload : .nothing
    }
}
