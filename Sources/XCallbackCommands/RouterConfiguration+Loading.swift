import ArgumentParser
import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackConfiguration

extension RouterConfiguration {
    /// Reads a configuration file as the daemon of the calling user would, and prints its faults.
    ///
    /// - Parameter path: The file.
    /// - Throws: `ExitCode` once all faults are printed.
    init(checking path: String) throws {
        let logger = Logger(label: "xcallback") { _ in SwiftLogNoOpLogHandler() }
        do {
            try self.init(file: path, ownership: .rootOrUser(geteuid()), logger: logger)
        } catch {
            Output.printError(error)
            throw ExitCode(ExitStatus.configuration.rawValue)
        }
    }
}
