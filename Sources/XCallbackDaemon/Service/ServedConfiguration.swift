import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackRouter

/// A caller that waits for the outcome of a reload; nil if the daemon stops before, or has no thread for it.
typealias ReloadWaiter = CheckedContinuation<ConfigurationLoader.Outcome?, Never>

/// The configuration in use, and its reloads; lives on the event loop.
final class ServedConfiguration {
    private(set) var current: RouterConfiguration
    /// The number of configurations that were in use so far.
    private(set) var number = 0
    /// The names and topics of the configuration, once a client has asked for them.
    private var knownNames: ClientNames?
    let loader: ConfigurationLoader
    /// The number of faults when the configuration was last loaded.
    private(set) var faultCount: Int
    /// The callers that wait for a reload to end: the current one, and the next one.
    private var waiters: (now: [ReloadWaiter], next: [ReloadWaiter]) = ([], [])
    private(set) var reloadCounts = (all: 0, failed: 0)
    /// The callers that wait to learn whether the files have changed, and whether the disk is asked.
    private var fileChecks: (waiting: [(Bool) -> Void], isRunning: Bool) = ([], false)
    /// How long a reply waits for the disk, which may not answer.
    private static let diskPatience = Duration.seconds(2)

    init(_ parts: ServiceParts) {
        current = parts.configuration
        loader = parts.loader
        faultCount = parts.configuration.unserved?.error.count ?? 0
    }

    /// Replaces the configuration; waiting requests keep theirs.
    func replace(with new: RouterConfiguration) {
        let old = current
        current = new
        loader.release(consume old)
        knownNames = nil
        number += 1
    }

    /// The names and topics of the configuration.
    var names: ClientNames {
        if let knownNames { return knownNames }
        let names = ClientNames(current)
        knownNames = names
        return names
    }

    /// Whether changes of the files can be detected.
    var knowsFiles: Bool { current.files != nil }

    /// Calls a function with whether the files have changed since they were read; false if the disk does not respond soon.
    func checkFiles(on loop: isolated EventLoop, _ body: @escaping (Bool) -> Void) {
        let isLate = fileChecks.isRunning && fileChecks.waiting.isEmpty
        guard let files = current.files, !isLate else { return body(false) }
        fileChecks.waiting.append(body)
        if fileChecks.isRunning { return }
        fileChecks.isRunning = true
        let limit = loop.call(after: Self.diskPatience) { [self] in endFileChecks(false) }
        Task.immediate(executorPreference: loop.executor) { [number] in
            let areChanged = (try? await loader.areChanged(since: files)) ?? false
            fileChecks.isRunning = false
            loop.cancel(limit)
            // A reload meanwhile has read the changes.
            endFileChecks(areChanged && number == self.number)
        }
    }

    private func endFileChecks(_ areChanged: Bool) {
        let waiting = fileChecks.waiting
        fileChecks.waiting = []
        for body in waiting { body(areChanged) }
    }

    /// Adds a caller that waits for the next reload.
    func add(_ waiter: ReloadWaiter) { waiters.next.append(waiter) }

    /// Starts a reload.
    func beginReload() { waiters = (waiters.next, []) }

    /// Ends a reload with its outcome, nil if it could not begin; returns the callers that wait for it.
    func endReload(_ outcome: ConfigurationLoader.Outcome?) -> [ReloadWaiter] {
        reloadCounts.all += 1
        switch outcome {
        case .loaded?: faultCount = 0
        case .failed(let error)?:
            reloadCounts.failed += 1
            faultCount = error.count
        case nil: reloadCounts.failed += 1
        }
        defer { waiters.now = [] }
        return waiters.now
    }

    /// Ends the wait of all callers for a reload.
    func endWaits() {
        for waiter in waiters.now + waiters.next { waiter.resume(returning: nil) }
        waiters = ([], [])
    }
}
