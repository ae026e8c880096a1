import Glibc
import XCallbackLinux

/// Where the files of the user's daemon lie (XDG Base Directory Specification).
package struct UserFolders: Hashable, Sendable {
    /// The user's configuration files, of all programs.
    package let configurationHome: String
    /// The user's data files, of all programs.
    package let dataHome: String
    /// What programs of the user remember.
    package let stateHome: String

    /// The configuration of the daemon.
    package var configuration: String { "\(configurationHome)/xcallbackd" }
    /// The drop-ins of the configuration.
    package var dropIns: String { "\(configuration)/routes.d" }
    /// The file with the settings for all routes.
    package var settings: String { "\(configuration)/config.yaml" }
    /// What the setup of examples remembers.
    package var record: String { "\(stateHome)/xcallbackd/setup.json" }
    /// Where the calls of the daemon can be; its service manager makes one of them.
    package var calls: [String] { ["\(configuration)/calls", "\(stateHome)/xcallbackd/calls"] }

    /// Creates the folders of a user.
    package init(configurationHome: String, dataHome: String, stateHome: String) {
        self.configurationHome = configurationHome
        self.dataHome = dataHome
        self.stateHome = stateHome
    }

    /// Finds the folders of the user who runs the command.
    ///
    /// - Throws: ``Failure`` if nothing tells where they are.
    init() throws(Failure) {
        self.init(
            configurationHome: try DesktopFolders.folder("XDG_CONFIG_HOME", orIn: ".config"),
            dataHome: try DesktopFolders.folder("XDG_DATA_HOME", orIn: ".local/share"),
            stateHome: try DesktopFolders.folder("XDG_STATE_HOME", orIn: ".local/state"))
    }

    /// Lets no other command that writes the user's files run until this process ends.
    ///
    /// - Parameter command: The command that is about to.
    /// - Throws: ``Failure`` if another one runs.
    func lockHome(for command: String) throws(Failure) {
        // A folder can be locked, and nothing is left of that.
        let home = open(variable("HOME") ?? "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard home >= 0, flock(home, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
        throw Failure(.errorAnswer, "another 'xcallback \(command)' is running: wait until it ends")
    }

    /// The path of a drop-in.
    package func dropIn(_ name: String) -> String { "\(dropIns)/\(name).yaml" }

    /// The path of a program that the routes of a drop-in run.
    package func program(_ program: String, of dropIn: String) -> String {
        "\(dataHome)/xcallbackd/programs/\(dropIn)/\(program)"
    }
}
