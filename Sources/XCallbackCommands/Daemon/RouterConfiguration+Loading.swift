import ArgumentParser
import Glibc
import XCallbackBuiltIns
import XCallbackConfiguration

extension ConfigurationPlaces {
    /// Creates the places of the daemon of the calling user.
    ///
    /// - Parameter path: The configuration file; nil for the one that the daemon finds by itself.
    init(of path: String?) {
        if let path {
            self.init(file: path)
        } else {
            let isSystem = geteuid() == 0
            self.init(isSystem: isSystem) { name in getenv(name).map { String(cString: $0) } }
            warnsOfHiddenOwners = !isSystem
        }
    }

    /// Whether there is no configuration file at all.
    var isEmpty: Bool { candidates.allSatisfy { access($0, F_OK) != 0 && errno == ENOENT } }
}

extension RouterConfiguration {
    /// Loads a configuration as the daemon of the calling user would, but reads no secret: nobody is served with it.
    ///
    /// - Parameter path: The configuration file; nil for the one that the daemon finds by itself.
    /// - Throws: ``ConfigurationError`` with all faults.
    init(loading path: String?) throws(ConfigurationError) {
        try self.init(reading: ConfigurationPlaces(of: path))
    }

    /// The same, from where its files are.
    init(reading places: ConfigurationPlaces) throws(ConfigurationError) {
        let service = ServiceUnit(reading: places)
        self = try ConfigurationCheck(reading: places, ownership: service.ownership).load(
            logger: .silent, checkedFor: service, readsSecrets: false)
    }

    /// Loads a configuration as the daemon of the calling user would, and prints its faults.
    ///
    /// - Parameters:
    ///   - path: The configuration file; nil for the one that the daemon finds by itself.
    ///   - isForProgram: Whether a program reads the result, which has the faults on standard output too.
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
