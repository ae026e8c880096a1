import Glibc
import XCallbackLinux

/// The entry by which the user's desktop session starts the daemon, where no service manager does (OpenRC, runit).
struct AutostartEntry {
    private static let mark = "# Written by 'xcallback register'; 'xcallback unregister' removes it."

    private let file: UserFile
    /// The path.
    var path: String { file.path }

    /// Locates the entry.
    ///
    /// - Throws: ``Failure`` if the user's folders cannot be determined.
    init() throws(Failure) {
        let folder = try DesktopFolders.folder("XDG_CONFIG_HOME", orIn: ".config")
        file = UserFile(path: "\(folder)/autostart/xcallbackd.desktop")
    }

    /// Whether there is a user's daemon that no service manager starts.
    static var isNeeded: Bool { geteuid() != 0 && !ManagerScope.system.isRunning && !ManagerScope.user.isRunning }

    /// Whether it exists.
    var exists: Bool { access(path, F_OK) == 0 }

    /// Writes the entry if it is needed and does not exist.
    ///
    /// - Parameter command: The path of `xcallback`.
    /// - Returns: Whether it was written.
    /// - Throws: ``Failure`` if it cannot be written.
    func add(beside command: String) throws(Failure) -> Bool {
        guard Self.isNeeded, !exists else { return false }
        let beside = command.prefix(upTo: command.lastIndex(of: "/") ?? command.startIndex) + "/xcallbackd"
        let daemon = ToolRun.isExecutable(String(beside)) ? String(beside) : "xcallbackd"
        try file.replace(
            with: """
                [Desktop Entry]
                \(Self.mark)
                Type=Application
                Name=xcallbackd
                Comment=Answers URLs of applications and scripts
                Exec=\(daemon)
                NoDisplay=true
                Terminal=false
                X-systemd-skip=true

                """)
        return true
    }

    /// Removes the entry, unless it has another author.
    ///
    /// - Throws: ``Failure`` if it cannot be removed.
    func remove() throws(Failure) {
        if try file.read()?.contains(Self.mark) == true { try file.remove() }
    }
}
