/// Where the files of a configuration are looked for.
package struct ConfigurationPlaces: Hashable, Sendable {
    /// The name of the directory that holds the drop-ins, beside the configuration file.
    static let dropInDirectory = "routes.d"

    /// The directories, the one that counts most first; an empty path is the current one.
    package let directories: [String]
    /// The name of the configuration file in them.
    package let fileName: String

    /// Creates the places of a file that somebody names, and of the drop-ins beside it.
    package init(file path: String) {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ""
        self.init(directories: [directory], fileName: name.isEmpty ? "." : name)
    }

    /// Creates the places of the system's daemon.
    ///
    /// - Parameter root: What stands before all paths, for tests.
    package init(ofSystemBelow root: String = "") {
        self.init(directories: Self.systemDirectories(below: root, name: "xcallbackd"))
    }

    /// Creates the places of a user's daemon.
    ///
    /// - Parameters:
    ///   - configurationHome: The directory of the user's configuration files.
    ///   - root: What stands before the paths of the system, for tests.
    package init(ofUser configurationHome: String, below root: String = "") {
        let shared = Self.systemDirectories(below: root, name: "xcallbackd/user")
        self.init(directories: ["\(configurationHome)/xcallbackd"] + shared)
    }

    /// Never one below `/run`: what is there may belong to a service, and root owns all of these.
    private static func systemDirectories(below root: String, name: String) -> [String] {
        ["/etc", "/usr/lib"].map { "\(root)\($0)/\(name)" }
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

    private init(directories: [String], fileName: String = "config.yaml") {
        self.directories = directories
        self.fileName = fileName
    }

    /// The paths at which the configuration file may be, the one that counts most first.
    package var candidates: [String] { directories.map { join($0, fileName) } }

    /// Whether somebody named the file, so that it is looked for nowhere else.
    var isNamed: Bool { directories.count == 1 }
}

/// The path of something in a directory; an empty directory is the current one.
func join(_ directory: String, _ name: String) -> String {
    if directory.isEmpty { return name }
    return directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
}
