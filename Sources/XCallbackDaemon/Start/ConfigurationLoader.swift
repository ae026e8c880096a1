import CLinux
import Logging
package import XCallbackBuiltIns
package import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackWire

/// Loads configurations on a queue of its own while the daemon continues to answer requests.
package struct ConfigurationLoader: Sendable {
    /// The outcome of a reload.
    enum Outcome: Sendable {
        /// The new configuration, and its changes.
        case loaded(RouterConfiguration, RouteDifference)
        /// The configuration has faults.
        case failed(ConfigurationError)
    }

    private let queue = WorkQueue()
    private let readFiles: @Sendable () throws(ConfigurationError) -> RouterConfiguration
    private let output: (any LogOutput)?
    private let places: ConfigurationPlaces?
    private let memory: DropInMemory?

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - places: Where the files are; nil if unknown.
    ///   - output: Gets all faults and warnings; nil if they are not reported.
    ///   - memory: Remembers the names of drop-ins for the next start; nil if nothing does.
    ///   - load: Reads all files of the configuration.
    package init(
        in places: ConfigurationPlaces? = nil, reportingTo output: (any LogOutput)? = nil,
        _ memory: DropInMemory? = nil,
        load: @escaping @Sendable () throws(ConfigurationError) -> RouterConfiguration
    ) {
        self.places = places
        self.memory = memory
        self.output = output
        readFiles = load
    }

    /// Loads the configuration as a reload would, without using it or reporting anything; can be called from any thread.
    func check(_ receivers: [(name: String, routes: [UInt8])]) -> ConfigurationFindings {
        ConfigurationFindings(read(), in: places?.file, receivers)
    }

    /// Whether the configuration is valid now; nothing is reported.
    func isValid() async -> Bool {
        // Without a thread, the next attempt finds out.
        let check = try? await queue.run { [self] in if case .success = read() { true } else { false } }
        return check ?? false
    }

    /// Returns whether files differ from those that were read; throws ``SystemError`` if the system has no thread for it.
    func areChanged(since files: Int) async throws(SystemError) -> Bool {
        try await queue.run { [places] in places.map { $0.fingerprint != files } ?? false }
    }

    private func read() -> Result<RouterConfiguration, ConfigurationError> {
        Result(catching: readFiles)
    }

    /// Loads the configuration that replaces the current one, and reports its faults.
    ///
    /// - Throws: ``SystemError`` if the system has no thread for it.
    func load(after old: RouterConfiguration) async throws(SystemError) -> Outcome {
        try await queue.run {
            switch load() {
            case .success(let new): .loaded(new, RouteDifference(from: old, to: new))
            case .failure(let error): .failed(error)
            }
        }
    }

    /// Releases a configuration on the queue, because this is slow with many routes; here if there is no thread.
    ///
    /// - Parameter configuration: The configuration; the caller must not keep a copy.
    package func release(_ configuration: consuming RouterConfiguration) {
        // The queue's caller can keep the closure for longer than the queue, but then the variable is empty.
        nonisolated(unsafe) var last: RouterConfiguration? = consume configuration
        let release: @Sendable () -> Void = { _ = last.take() }
        do throws(SystemError) {
            try queue.async(release)
        } catch {
            release()
        }
    }

    /// Returns free memory to the system after all temporary data is released: loading uses several times as much
    /// memory as the configuration needs afterwards.
    func giveMemoryBack() {
        do throws(SystemError) {
            try queue.async { _ = malloc_trim(0) }
        } catch {
            // The memory is reused: nothing is lost.
        }
    }

    /// Loads the configuration in this thread and reports its faults.
    func load() -> Result<RouterConfiguration, ConfigurationError> { report(read()) }

    /// Reports what a load in this thread has found, and remembers the names of what is served.
    func report(
        _ result: Result<RouterConfiguration, ConfigurationError>
    ) -> Result<RouterConfiguration, ConfigurationError> {
        switch result {
        case .failure(let error): output?.write(level: .error, text: "\(error)")
        case .success(let configuration):
            if let error = configuration.unserved?.error { output?.write(level: .error, text: "\(error)") }
            do throws(SystemError) {
                try memory?.write(configuration.names)
            } catch {
                // What it remembers of earlier files may lack a scheme.
                memory?.forget()
                output?.write(level: .warning, text: "cannot remember the schemes of drop-ins: \(error)")
            }
            for notes in [configuration.warnings, configuration.leftUnchecked] where !notes.isEmpty {
                output?.write(level: .warning, text: "\(notes)")
            }
        }
        return result
    }
}
