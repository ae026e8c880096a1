import Glibc
import XCallbackLinux

/// The places to search for configuration files.
package struct ConfigurationPlaces: Hashable, Sendable {
    /// The name of the drop-in directory, next to the configuration file.
    package static let dropInDirectory = "routes.d"

    /// The paths of the directories, the one with the highest precedence first; an empty path is the current directory.
    package let directories: [String]
    /// The name of the configuration file.
    package let fileName: String
    /// Whether they are the places of the system's daemon or of a user's; nil if that is unknown.
    package let isOfSystem: Bool?
    /// The name of the sample to start with; nil if a user names the file.
    private let sampleName: String?
    /// The prefix of the system's paths, for tests.
    private let root: String

    /// Creates the places for a named file and the drop-ins next to it.
    package init(file path: String) {
        let bytes = path.utf8
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(decoding: bytes[bytes.index(after: $0)...], as: UTF8.self) } ?? path
        let directory =
            slash.map { $0 == bytes.startIndex ? "/" : String(decoding: bytes[..<$0], as: UTF8.self) } ?? ""
        let paths = [directory, realPath(directory.isEmpty ? "." : directory) ?? directory]
        let isOfSystem = Self.systemFolders(below: "", name: "xcallbackd").contains { paths.contains($0) }
        self.init(
            [directory], fileName: name.isEmpty ? "." : name, sample: nil,
            isOfSystem: isOfSystem ? true : nil)
    }

    /// Creates the places of the system's daemon.
    ///
    /// - Parameter root: The prefix of all paths, for tests.
    package init(ofSystemBelow root: String = "") {
        self.init(
            Self.systemFolders(below: root, name: "xcallbackd"), sample: "system.yaml", below: root, isOfSystem: true)
    }

    /// Creates the places of a user's daemon.
    ///
    /// - Parameters:
    ///   - configurationHome: The directory of the user's configuration files.
    ///   - root: The prefix of the system's paths, for tests.
    package init(ofUser configurationHome: String, below root: String = "") {
        self.init(
            [join(configurationHome, "xcallbackd")] + Self.systemFolders(below: root, name: "xcallbackd/user"),
            sample: "config.yaml", below: root,
            isOfSystem: false)
    }

    /// Never a directory below `/run`, which may belong to a service: root owns all of these.
    private static func systemFolders(below root: String, name: String) -> [String] {
        ["/etc", "/usr/lib"].map { join(root + $0, name) }
    }

    /// Creates the places of the daemon that the calling user would run.
    ///
    /// - Parameters:
    ///   - isSystem: Whether that is the system's daemon.
    ///   - environment: Returns the value of an environment variable.
    package init(isSystem: Bool, environment: (String) -> String?) {
        guard !isSystem else {
            self.init(ofSystemBelow: "")
            return
        }
        // A path that is not absolute is ignored (XDG Base Directory Specification).
        let chosen = environment("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0.withoutFinalSlashes : nil }
        let home = environment("HOME").flatMap { $0.isEmpty ? nil : $0.withoutFinalSlashes } ?? "/"
        self.init(ofUser: chosen ?? "\(home == "/" ? "" : home)/.config")
    }

    private init(
        _ directories: [String], fileName: String = "config.yaml", sample: String?, below root: String = "",
        isOfSystem: Bool?
    ) {
        self.directories = directories
        self.fileName = fileName
        sampleName = sample
        self.isOfSystem = isOfSystem
        self.root = root
    }

    /// The candidate paths of the configuration file, the one with the highest precedence first.
    package var candidates: [String] { directories.map { join($0, fileName) } }

    /// The configuration file that is read, also if a user names one that is missing, or a link leads nowhere; nil if there is
    /// none.
    package var file: String? {
        candidates.first { isNamed || faccessat(AT_FDCWD, $0, F_OK, AT_SYMLINK_NOFOLLOW) == 0 }.map { path in
            guard !path.hasPrefix("/"), let folder = realPath(".") else { return path }
            return join(folder, path)
        }
    }

    /// The required owners of the files, as far as a process knows that is not the daemon.
    package var ownership: FileOwnership {
        isOfSystem ?? (geteuid() == 0) ? .rootOrUnknownUser : .rootOrUser(geteuid())
    }

    /// Whether a user named the file, so that other places are not searched.
    package var isNamed: Bool { directories.count == 1 }

    /// The sample that is installed with the running program or a package; nil if there is none.
    package var sample: String? {
        guard let sampleName else { return nil }
        let own = Self.programPrefix.map { [root + $0] } ?? []
        let samples = (own + ["\(root)/usr", "\(root)/usr/local"]).map {
            "\($0)/share/doc/xcallbackd/examples/\(sampleName)"
        }
        return samples.first { access($0, R_OK) == 0 }
    }

    /// The command that copies the sample; nil without a sample.
    package var copyCommand: String? {
        guard let sample, let target = candidates.first, [sample, target].allSatisfy({ $0.shellWord == $0 })
        else { return nil }
        return "install -D -m 644 \(sample) \(target)"
    }

    /// The advice if there is no configuration, as part of a sentence.
    package var advice: String {
        let commands = commandAdvice.map { "\($0), " } ?? ""
        return commands
            + (copyCommand.map { "copy the sample with '\($0)'" } ?? "write one as xcallbackd.yaml(5) describes")
    }

    /// The commands that write a configuration for the daemon of a user; nil for other daemons.
    package var commandAdvice: String? {
        isOfSystem == false
            ? "run 'xcallback init' for an action of your own, run 'xcallback setup' for an example" : nil
    }

    /// The `PREFIX` of `make install`: the program is in its `bin`.
    private static var programPrefix: String? {
        guard let program = realPath("/proc/self/exe") else { return nil }
        let parts = program.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast().last == "bin" ? parts.dropLast(2).joined(separator: "/") : nil
    }
}

extension ConfigurationPlaces {
    /// A number that changes with the names, the contents and the owners of the files; only this process can compare it.
    ///
    /// It asks the disk, so it can take as long as the disk does.
    package var fingerprint: Int {
        var hasher = Hasher()
        for folder in directories {
            let names =
                if let directory = try? ConfigurationDirectory.open(folder, isOptional: true, faults: FaultList()) {
                    try? directory.openDropIns(FaultList()).dropIns(FaultList())
                } else {
                    [String]?.none
                }
            let dropIns = names?.sorted().map { join(join(folder, Self.dropInDirectory), $0) } ?? []
            for path in [join(folder, fileName)] + dropIns {
                var status = stat()
                guard stat(path, &status) == 0 else { continue }
                hasher.combine(path)
                hasher.combine(status.st_ino)
                // Unlike the time of the content, the user cannot set it.
                hasher.combine(status.st_ctim.tv_sec)
                hasher.combine(status.st_ctim.tv_nsec)
            }
        }
        return hasher.finalize()
    }
}

/// Returns the path of a file in a directory; an empty directory is the current directory.
func join(_ directory: String, _ name: String) -> String {
    if directory.isEmpty { return name }
    return directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
}

extension String {
    /// The name of the file at a path.
    package var fileName: String {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { String(self[index(after: $0)...]) } ?? self
    }

    /// The path of a folder without slashes behind its name, as paths are compared.
    package var withoutFinalSlashes: String {
        utf8.lastIndex { $0 != UInt8(ascii: "/") }.map { String(self[...$0]) } ?? "/"
    }

    /// The name of a drop-in, of which this is the file or the folder.
    package var withoutSuffix: String { hasSuffix(".yaml") ? String(dropLast(".yaml".count)) : self }
}
