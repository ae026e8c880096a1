import CLinux
import Synchronization
package import XCallbackBuiltIns
package import XCallbackConfiguration
import XCallbackEventLoop

/// Loads configurations on a queue of its own, so that requests are answered meanwhile.
package struct ConfigurationLoader: Sendable {
    /// What a reload has come to.
    enum Outcome: Sendable {
        /// A configuration to serve, and what is different in it.
        case loaded(RouterConfiguration, RouteDifference)
        /// The configuration has faults.
        case failed(ConfigurationError)
    }

    private let queue = WorkQueue(label: "xcallbackd.reload")
    private let readFiles: @Sendable (inout ConfigurationDocuments?) throws(ConfigurationError) -> RouterConfiguration
    private let report: @Sendable (ConfigurationError) -> Void
    /// Checks files that somebody else has read, as if they were the daemon's; every thread may do so.
    let check: @Sendable ([ConfigurationFile]) -> ConfigurationFindings

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - load: Reads all files of the configuration, which can be kept.
    ///   - check: Checks files that somebody else has read.
    ///   - report: Tells people all that is wrong with it.
    package init(
        load: @escaping @Sendable (inout ConfigurationDocuments?) throws(ConfigurationError) -> RouterConfiguration,
        check: @escaping @Sendable ([ConfigurationFile]) -> ConfigurationFindings = { files in
            ConfigurationCheck(files, isOfSystem: false).findings(logger: .silent, checkedFor: nil)
        },
        report: @escaping @Sendable (ConfigurationError) -> Void
    ) {
        readFiles = load
        self.check = check
        self.report = report
    }

    /// Loads the configuration that takes the place of one, and reports its faults.
    func load(after old: RouterConfiguration) async -> Outcome {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: outcome(after: old)) }
        }
    }

    /// Whether the system has no thread for what there is to do.
    var lacksThread: Bool { queue.lacksThread }

    /// Releases a configuration on the queue, which takes a while if it has many routes.
    ///
    /// - Parameter configuration: The configuration, of which the caller must not keep a copy.
    package func release(_ configuration: consuming RouterConfiguration) {
        let last = LastReference(configuration)
        queue.async { last.release() }
    }

    /// Gives memory back to the system once all that was let go is gone: loading takes a multiple of what a
    /// configuration needs afterwards.
    func giveMemoryBack() {
        queue.async { _ = malloc_trim(0) }
    }

    /// Loads the configuration in this thread, and reports its faults; its files can be let go later.
    ///
    /// - Parameters:
    ///   - documents: Becomes what was read.
    ///   - known: Faults that were reported already; nil if none were.
    /// - Returns: The configuration, or its faults.
    func load(
        keeping documents: inout ConfigurationDocuments?, unless known: ConfigurationError? = nil
    ) -> Result<RouterConfiguration, ConfigurationError> {
        let result = Result { () throws(ConfigurationError) in try readFiles(&documents) }
        if case .failure(let error) = result, error != known { report(error) }
        return result
    }

    private func outcome(after old: RouterConfiguration) -> Outcome {
        do throws(ConfigurationError) {
            var documents: ConfigurationDocuments?
            let new = try readFiles(&documents)
            return .loaded(new, RouteDifference(from: old, to: new))
        } catch {
            report(error)
            return .failed(error)
        }
    }
}

/// Releases a configuration on request.
///
/// The caller of a queue keeps the closure until the call returns, and could release it after the queue has run it. By then
/// this holds nothing.
private final class LastReference: Sendable {
    private let configuration: Mutex<RouterConfiguration?>

    init(_ configuration: consuming RouterConfiguration) {
        self.configuration = Mutex(configuration)
    }

    func release() {
        configuration.withLock { $0 = nil }
    }
}
