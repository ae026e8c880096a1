import ArgumentParser
import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackConfiguration

extension RouterConfiguration {
    /// Loads a configuration as the daemon of the calling user would.
    ///
    /// - Parameter path: The configuration file; nil for the one that the daemon finds by itself.
    /// - Throws: ``ConfigurationError`` with all faults.
    init(loading path: String?) throws(ConfigurationError) {
        let logger = Logger(label: "xcallback") { _ in SwiftLogNoOpLogHandler() }
        let places =
            path.map { ConfigurationPlaces(file: $0) }
            ?? ConfigurationPlaces(isSystem: geteuid() == 0) { name in getenv(name).map { String(cString: $0) } }
        try self.init(in: places, ownership: .rootOrUser(geteuid()), logger: logger)
    }

    /// Loads a configuration as the daemon of the calling user would, and prints its faults.
    ///
    /// - Parameter path: The configuration file; nil for the one that the daemon finds by itself.
    /// - Throws: `ExitCode` once all faults are printed.
    init(checking path: String?) throws {
        do throws(ConfigurationError) {
            try self.init(loading: path)
        } catch {
            Output.printError(error)
            throw ExitCode(ExitStatus.configuration.rawValue)
        }
    }
}
