import ArgumentParser
import Glibc
import XCallbackBuiltIns
import XCallbackConfiguration

extension ConfigurationPlaces {
    /// Creates the configuration locations of the calling user's daemon.
    ///
    /// - Parameter path: The configuration file; nil for the daemon's default.
    init(of path: String?) {
        if let path {
            self.init(file: path)
        } else {
            let isSystem = geteuid() == 0
            self.init(isSystem: isSystem) { name in getenv(name).map { String(cString: $0) } }
        }
    }

    /// Whether no configuration file exists.
    var isEmpty: Bool { candidates.allSatisfy { access($0, F_OK) != 0 && errno == ENOENT } }
}

extension RouterConfiguration {
    /// Loads a configuration as the calling user's daemon would, without reading secrets, because it serves no requests.
    ///
    /// - Parameter path: The configuration file; nil for the daemon's default.
    /// - Throws: ``ConfigurationError`` with all faults.
    init(loading path: String?) throws(ConfigurationError) {
        try self.init(reading: ConfigurationPlaces(of: path))
    }

    /// Loads a configuration from its locations in the same way.
    init(reading places: ConfigurationPlaces) throws(ConfigurationError) {
        try self.init(in: places, ownership: places.ownership, logger: .silent, purpose: .reading)
    }

    /// Loads a configuration as the calling user's daemon would, and prints its faults.
    ///
    /// - Parameters:
    ///   - path: The configuration file; nil for the daemon's default.
    ///   - isForProgram: Whether a program reads the result; then the faults go to standard output, too.
    /// - Throws: `ExitCode` once all faults are printed.
    init(checking path: String?, isForProgram: Bool = false) throws {
        do throws(ConfigurationError) {
            try self.init(loading: path)
        } catch {
            Terminal.printError(error)
            if isForProgram { try Terminal.print(error.report) }
            throw ExitCode(ExitStatus.configuration.rawValue)
        }
    }
}
