import XCallbackLinux

/// Where the user's files for the desktop lie (XDG Base Directory Specification).
struct DesktopFolders {
    /// The file in which update-desktop-database keeps what the entries beside it say.
    static let cacheName = "mimeinfo.cache"

    /// The user's desktop entries.
    let applications: String
    /// The entry that the command writes.
    let entry: UserFile
    /// The user's choices of applications for types.
    let defaults: UserFile
    /// The entries of all users, the first of which counts where the user has none.
    let sharedEntries: [UserFile]
    /// The desktop entries of all users, by folder, in the order in which they count.
    let sharedApplications: [String]
    /// Where programs keep what they share: the user's own folder, then those of all users.
    let data: [String]

    /// Finds the folders of the user who runs the command.
    ///
    /// - Throws: ``Failure`` if nothing tells where they are.
    init() throws(Failure) {
        let own = try Self.folder("XDG_DATA_HOME", orIn: ".local/share")
        applications = "\(own)/applications"
        entry = UserFile(path: "\(applications)/\(DesktopEntry.name)")
        let folders = (variable("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":")
        data = [own] + folders.map(String.init)
        sharedApplications = folders.map { "\($0)/applications" }
        sharedEntries = sharedApplications.map { UserFile(path: "\($0)/\(DesktopEntry.name)") }
        defaults = UserFile(path: "\(try Self.folder("XDG_CONFIG_HOME", orIn: ".config"))/mimeapps.list")
    }

    /// The entry that the command has written; nil if there is none.
    ///
    /// - Throws: ``Failure`` if it cannot be read, or somebody else has written it.
    func readEntry() throws(Failure) -> DesktopEntry? {
        guard let text = try entry.read() else { return nil }
        guard let written = DesktopEntry(text) else {
            throw Failure(
                .errorAnswer,
                "'\(entry.path)' was not written by 'xcallback register', and was not changed\nmove it away first")
        }
        return written
    }

    /// A folder that a variable of the environment names.
    ///
    /// - Parameters:
    ///   - name: The variable.
    ///   - place: Where it is in the user's home without that.
    /// - Returns: Its path.
    /// - Throws: ``Failure`` if nothing tells where it is.
    static func folder(_ name: String, orIn place: String) throws(Failure) -> String {
        // A relative path counts for nothing, as the specification says.
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
