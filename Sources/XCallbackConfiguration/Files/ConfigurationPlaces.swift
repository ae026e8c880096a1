/// Where the files of a configuration are looked for.
package struct ConfigurationPlaces: Hashable, Sendable {
    /// The name of the directory that holds the drop-ins, beside the configuration file.
    static let dropInDirectory = "routes.d"

    /// A directory that is searched.
    struct Folder: Hashable {
        /// The directory above it; empty for the current one.
        let base: String
        /// The path from there, where no link may lead out of the configuration's folders; empty for the base itself.
        let name: String

        var path: String { name.isEmpty ? base : join(base, name) }
    }

    /// The directories, the one that counts most first.
    let folders: [Folder]
    /// The name of the configuration file in them.
    package let fileName: String
    /// Whether to warn of what the user's unit rejects, in a process that is outside of the unit's user namespace.
    package var warnsOfHiddenOwners = false

    /// Creates the places of a file that somebody names, and of the drop-ins beside it.
    package init(file path: String) {
        let bytes = path.utf8
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(decoding: bytes[bytes.index(after: $0)...], as: UTF8.self) } ?? path
        let directory =
            slash.map { $0 == bytes.startIndex ? "/" : String(decoding: bytes[..<$0], as: UTF8.self) } ?? ""
        self.init([Folder(base: "", name: directory)], fileName: name.isEmpty ? "." : name)
    }

    /// Creates the places of the system's daemon.
    ///
    /// - Parameter root: What stands before all paths, for tests.
    package init(ofSystemBelow root: String = "") {
        self.init(Self.systemFolders(below: root, name: "xcallbackd"))
    }

    /// Creates the places of a user's daemon.
    ///
    /// - Parameters:
    ///   - configurationHome: The directory of the user's configuration files.
    ///   - root: What stands before the paths of the system, for tests.
    package init(ofUser configurationHome: String, below root: String = "") {
        let own = Folder(base: configurationHome, name: "xcallbackd")
        self.init([own] + Self.systemFolders(below: root, name: "xcallbackd/user"))
    }

    /// Never one below `/run`: what is there may belong to a service, and root owns all of these.
    private static func systemFolders(below root: String, name: String) -> [Folder] {
        ["/etc", "/usr/lib"].map { Folder(base: root + $0, name: name) }
    }

    /// Creates the places of the daemon that the calling user would run.
    ///
    /// - Parameters:
    ///   - isSystem: Whether that is the system's daemon.
    ///   - environment: Looks a variable of the environment up.
    package init(isSystem: Bool, environment: (String) -> String?) {
        guard !isSystem else {
            self.init(ofSystemBelow: "")
            return
        }
        // A path that is not absolute counts as none (XDG Base Directory Specification).
        let chosen = environment("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment("HOME").flatMap { $0.isEmpty ? nil : $0 } ?? "/"
        self.init(ofUser: chosen ?? "\(home == "/" ? "" : home)/.config")
    }

    private init(_ folders: [Folder], fileName: String = "config.yaml") {
        self.folders = folders
        self.fileName = fileName
    }

    /// The paths of the directories, the one that counts most first; an empty path is the current one.
    package var directories: [String] { folders.map(\.path) }

    /// The paths at which the configuration file may be, the one that counts most first.
    package var candidates: [String] { directories.map { join($0, fileName) } }

    /// Whether somebody named the file, so that it is looked for nowhere else.
    var isNamed: Bool { folders.count == 1 }
}

/// The path of something in a directory; an empty directory is the current one.
func join(_ directory: String, _ name: String) -> String {
    if directory.isEmpty { return name }
    return directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
}
