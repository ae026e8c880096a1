import Glibc

/// The lifecycle of the daemon: how it reacts to SIGTERM, SIGINT and SIGHUP.
package struct LifeCycle {
    /// What the daemon must do next.
    package enum Step: Hashable {
        /// Reload the configuration; ``LifeCycle/endReload()`` must follow.
        case reload
        /// Complete the requests in progress and accept no new ones.
        case drain
        /// End at once.
        case stop
        /// Nothing.
        case nothing
    }

    private enum Reload {
        case none
        case running
        /// Another reload follows, because the files may have changed after they were read.
        case runningAndWanted
    }

    /// The signals that stop the daemon, and the one that reloads its configuration.
    static let signals = [SIGTERM, SIGINT, SIGHUP]

    /// Whether the daemon has begun to stop.
    package private(set) var isStopping = false
    private var reload = Reload.none

    /// Creates the lifecycle of a daemon that starts to serve.
    package init() {}

    /// Handles a signal: SIGHUP reloads; SIGTERM and SIGINT drain the daemon, and then stop it at once.
    package mutating func receive(signal: Int32) -> Step {
        if signal == SIGHUP { return requestReload() }
        defer { isStopping = true }
        return isStopping ? .stop : .drain
    }

    /// Begins a reload, or remembers it for the end of the one that runs.
    mutating func requestReload() -> Step {
        guard !isStopping else { return .nothing }
        defer { reload = reload == .none ? .running : .runningAndWanted }
        return reload == .none ? .reload : .nothing
    }

    /// Ends a reload.
    ///
    /// - Returns: ``Step/reload`` if another reload must follow.
    package mutating func endReload() -> Step {
        let isWanted = reload == .runningAndWanted && !isStopping
        reload = isWanted ? .running : .none
        return isWanted ? .reload : .nothing
    }
}
