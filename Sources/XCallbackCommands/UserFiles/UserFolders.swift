import Glibc
import XCallbackLinux

/// The locations of the files of a user's daemon (XDG Base Directory Specification).
package struct UserFolders: Hashable, Sendable {
    /// The folder of the user's configuration files, for all programs.
    package let configurationHome: String
    /// The folder of the user's data files, for all programs.
    package let dataHome: String
    /// The folder of the user's state files, for all programs.
    package let stateHome: String

    /// The configuration of the daemon.
    package var configuration: String { "\(configurationHome)/xcallbackd" }
    /// The drop-ins of the configuration.
    package var dropIns: String { "\(configuration)/routes.d" }
    /// The file with the settings for all routes.
    package var settings: String { "\(configuration)/config.yaml" }
    /// The record of what 'setup' and 'init' have made.
    package var record: String { "\(stateHome)/xcallbackd/setup.json" }

    package init(configurationHome: String, dataHome: String, stateHome: String) {
        self.configurationHome = configurationHome
        self.dataHome = dataHome
        self.stateHome = stateHome
    }

    /// Determines the folders of the user who runs the command.
    init() throws(Failure) {
        self.init(
            configurationHome: try DesktopFolders.folder("XDG_CONFIG_HOME", orIn: ".config"),
            dataHome: try DesktopFolders.folder("XDG_DATA_HOME", orIn: ".local/share"),
            stateHome: try DesktopFolders.folder("XDG_STATE_HOME", orIn: ".local/state"))
    }

    /// Excludes other commands that write the user's files until this process ends.
    func lockHome(for command: String) throws(Failure) {
        // A folder can be locked, and the lock leaves nothing behind.
        let home = open(variable("HOME") ?? "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard home >= 0, flock(home, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
        throw Failure(.errorAnswer, "another 'xcallback \(command)' is running: wait until it ends")
    }

    /// Returns the folders of xcallback that a drop-in and its programs are in, inner ones first.
    func own(of name: String) -> [String] {
        [
            "\(dataHome)/xcallbackd/programs/\(name)", "\(dataHome)/xcallbackd/programs", "\(dataHome)/xcallbackd",
            dropIns, configuration, record.parent,
        ]
    }

    package func dropIn(_ name: String) -> String { "\(dropIns)/\(name).yaml" }

    /// The path of a program that the routes of a drop-in run.
    package func program(_ program: String, of dropIn: String) -> String {
        "\(dataHome)/xcallbackd/programs/\(dropIn)/\(program)"
    }
}
