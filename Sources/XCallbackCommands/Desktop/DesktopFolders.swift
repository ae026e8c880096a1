import Glibc
import XCallbackLinux

/// The locations of the user's desktop files (XDG Base Directory Specification).
struct DesktopFolders {
    /// The user's desktop entries.
    let applications: String
    /// The entry that the command writes.
    let entry: UserFile
    /// The user's choices of applications for types.
    let defaults: UserFile
    /// The entries of all users; the first applies to users without one.
    let sharedEntries: [UserFile]
    /// The folders of all users' desktop entries, by precedence.
    let sharedApplications: [String]

    /// Determines the folders of the user who runs the command.
    ///
    /// - Throws: ``Failure`` if they cannot be determined.
    init() throws(Failure) {
        let own = try Self.folder("XDG_DATA_HOME", orIn: ".local/share")
        applications = "\(own)/applications"
        entry = UserFile(path: "\(applications)/\(DesktopEntry.name)")
        let folders = (variable("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":")
        sharedApplications = folders.map { "\($0)/applications" }
        sharedEntries = sharedApplications.map { UserFile(path: "\($0)/\(DesktopEntry.name)") }
        defaults = UserFile(path: "\(try Self.folder("XDG_CONFIG_HOME", orIn: ".config"))/mimeapps.list")
    }

    /// Reads the entry that the command has written; nil if missing.
    ///
    /// - Throws: ``Failure`` if it cannot be read, or has another author.
    func readEntry() throws(Failure) -> DesktopEntry? {
        guard let text = try entry.read() else { return nil }
        guard let written = DesktopEntry(text) else {
            throw Failure(
                .errorAnswer,
                "'\(entry.path)' was not written by 'xcallback register', and was not changed\nmove it away first")
        }
        return written
    }

    /// Returns a folder that an environment variable names.
    ///
    /// - Parameters:
    ///   - name: The variable.
    ///   - place: The default, relative to the user's home.
    /// - Returns: Its path.
    /// - Throws: ``Failure`` if it cannot be determined.
    static func folder(_ name: String, orIn place: String) throws(Failure) -> String {
        // The specification requires that relative paths are ignored.
        if let folder = variable(name), folder.hasPrefix("/") { return folder }
        guard let home = variable("HOME") else {
            throw Failure(.errorAnswer, "cannot find the user's files: neither $\(name) nor $HOME is set")
        }
        guard home.hasPrefix("/") else {
            throw Failure(
                .errorAnswer,
                "cannot find the user's files: $HOME is '\(home.withVisibleControls)', not an absolute path")
        }
        return "\(home)/\(place)"
    }
}

extension DesktopFolders {
    /// The path of an application's desktop entry; nil if it is not installed.
    func path(of entry: String) -> String? {
        ([applications] + sharedApplications).map { "\($0)/\(entry)" }.first { access($0, F_OK) == 0 }
    }

    /// The name of an application in a sentence, with the path of its desktop entry.
    func title(of entry: String) -> String {
        guard let path = path(of: entry) else { return entry }
        return Browser(named: entry).map { "\($0.title) (\(path))" } ?? path
    }

    /// Whether what the command writes takes precedence over a list of default applications.
    func canOverride(_ list: String) -> Bool {
        list == defaults.path || list.parent != defaults.path.parent
    }

    /// The list of default applications that decides a scheme; nil if none has it.
    func list(deciding scheme: String) -> String? {
        let desktops = (variable("XDG_CURRENT_DESKTOP") ?? "").lowercased().split(separator: ":")
        let names = desktops.map { "\($0)-mimeapps.list" } + ["mimeapps.list"]
        let shared = (variable("XDG_CONFIG_DIRS") ?? "/etc/xdg").split(separator: ":").map(String.init)
        let places = [defaults.path.parent] + shared + [applications] + sharedApplications
        return places.flatMap { place in names.map { "\(place)/\($0)" } }.first { path in
            let text = (try? UserFile(path: path).read()) ?? ""
            return MimeDefaults(text).hasDefault(for: DesktopEntry.type(of: scheme))
        }
    }
}
