import Glibc

/// Where the files of a configuration are looked for.
package struct ConfigurationPlaces: Hashable, Sendable {
    /// The name of the directory that holds the drop-ins, beside the configuration file.
    package static let dropInDirectory = "routes.d"

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
    /// Whether the daemon of the system reads them, or that of the user; nil if that cannot be told.
    package let isOfSystem: Bool?
    /// The name of the sample to begin with; nil where somebody names the file.
    private let sampleName: String?
    /// What stands before the paths of the system, for tests.
    private let root: String
    /// Whether to warn of what the user's unit rejects, in a process that is outside of the unit's user namespace.
    package var warnsOfHiddenOwners = false

    /// Creates the places of a file that somebody names, and of the drop-ins beside it.
    package init(file path: String) {
        let bytes = path.utf8
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(decoding: bytes[bytes.index(after: $0)...], as: UTF8.self) } ?? path
        let directory =
            slash.map { $0 == bytes.startIndex ? "/" : String(decoding: bytes[..<$0], as: UTF8.self) } ?? ""
        let real = realpath(directory.isEmpty ? "." : directory, nil)
        defer { free(real) }
        let paths = [directory, real.map { String(cString: $0) } ?? directory]
        let isOfSystem = Self.systemFolders(below: "", name: "xcallbackd").contains { paths.contains($0.path) }
        self.init(
            [Folder(base: "", name: directory)], fileName: name.isEmpty ? "." : name, sample: nil,
            isOfSystem: isOfSystem ? true : nil)
    }

    /// Creates the places of the system's daemon.
    ///
    /// - Parameter root: What stands before all paths, for tests.
    package init(ofSystemBelow root: String = "") {
        self.init(
            Self.systemFolders(below: root, name: "xcallbackd"), sample: "system.yaml", below: root, isOfSystem: true)
    }

    /// Creates the places of a user's daemon.
    ///
    /// - Parameters:
    ///   - configurationHome: The directory of the user's configuration files.
    ///   - root: What stands before the paths of the system, for tests.
    package init(ofUser configurationHome: String, below root: String = "") {
        let own = Folder(base: configurationHome, name: "xcallbackd")
        self.init(
            [own] + Self.systemFolders(below: root, name: "xcallbackd/user"), sample: "config.yaml", below: root,
            isOfSystem: false)
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

    private init(
        _ folders: [Folder], fileName: String = "config.yaml", sample: String?, below root: String = "",
        isOfSystem: Bool?
    ) {
        self.folders = folders
        self.fileName = fileName
        sampleName = sample
        self.isOfSystem = isOfSystem
        self.root = root
    }

    /// The paths of the directories, the one that counts most first; an empty path is the current one.
    package var directories: [String] { folders.map(\.path) }

    /// The paths at which the configuration file may be, the one that counts most first.
    package var candidates: [String] { directories.map { join($0, fileName) } }

    /// Whether somebody named the file, so that it is looked for nowhere else.
    var isNamed: Bool { folders.count == 1 }

    /// The sample that is installed on this machine, with the running program or with a package; nil if there is none.
    package var sample: String? {
        guard let sampleName else { return nil }
        let own = Self.programPrefix.map { [root + $0] } ?? []
        let samples = (own + ["\(root)/usr", "\(root)/usr/local"]).map {
            "\($0)/share/doc/xcallbackd/examples/\(sampleName)"
        }
        return samples.first { access($0, R_OK) == 0 }
    }

    /// The command that copies the sample; nil if there is none.
    package var copyCommand: String? {
        guard let sample, let target = candidates.first, sample.isShellWord, target.isShellWord else { return nil }
        return "install -D -m 644 \(sample) \(target)"
    }

    /// What to do where there is no configuration, as a part of a sentence.
    package var advice: String {
        let commands = commandAdvice.map { "\($0), " } ?? ""
        return commands
            + (copyCommand.map { "copy the sample with '\($0)'" } ?? "write one as xcallbackd.yaml(5) describes")
    }

    /// The commands that write a configuration, which they do for the daemon of a user; nil for any other.
    package var commandAdvice: String? {
        isOfSystem == false
            ? "run 'xcallback init' for an action of your own, run 'xcallback setup' for an example" : nil
    }

    /// The folder that `make install` had as `PREFIX`: the program is in its `bin`.
    private static var programPrefix: String? {
        guard let program = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(program) }
        let parts = String(cString: program).split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast().last == "bin" ? parts.dropLast(2).joined(separator: "/") : nil
    }
}

extension String {
    /// Whether a shell takes the path as it is.
    fileprivate var isShellWord: Bool {
        utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "+")...UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "_"): true
            default: byte >= 0x80
            }
        }
    }
}

/// The path of something in a directory; an empty directory is the current one.
func join(_ directory: String, _ name: String) -> String {
    if directory.isEmpty { return name }
    return directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
}
