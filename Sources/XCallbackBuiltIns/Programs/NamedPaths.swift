import Glibc
import XCallbackConfiguration
import XCallbackLinux

/// Resolves paths in a configuration: absolute ones, those below the home directory (`~/`), and those relative to the
/// directory of the file that contains them.
final class NamedPaths {
    /// Whether the system's daemon reads the configuration; it has no home directory.
    private let isOfSystem: Bool
    /// The home directory of the daemon's user, without a trailing slash; nil if there is none.
    private lazy var home: String? = Self.findHome()
    /// The working directory of the process.
    private lazy var ownFolder = Self.findFolder()

    /// Creates a resolver that uses the home directory of the process.
    ///
    /// - Parameter isOfSystem: Whether the system's daemon reads the configuration.
    init(isOfSystem: Bool) {
        self.isOfSystem = isOfSystem
    }

    /// Returns the absolute path.
    ///
    /// - Parameters:
    ///   - text: The path, as written.
    ///   - place: The place of the path.
    ///   - faults: Receives faults.
    /// - Returns: The path; nil after a fault.
    func path(_ text: String, at place: Place, _ faults: FaultList) -> String? {
        if text.hasPrefix("/") { return text }
        guard text.hasPrefix("~") else { return folder(of: place.file) + relative(text) }
        guard text == "~" || text.hasPrefix("~/") else {
            faults.report(
                "'~' works only as '~/', the home of the daemon's user: expected that, or an absolute path", at: place)
            return nil
        }
        guard !isOfSystem, let home else {
            faults.report(
                "\(isOfSystem ? "the system's daemon has no home" : "the daemon's user has no home"): expected an "
                    + "absolute path, or a path relative to the folder of this file", at: place)
            return nil
        }
        let rest = text.dropFirst()
        return home.isEmpty && rest.isEmpty ? "/" : home + rest
    }

    /// Removes a leading `./`, which has no meaning.
    private func relative(_ text: String) -> String {
        if text == "." { return "" }
        var rest = text[...]
        while rest.hasPrefix("./") { rest = rest.dropFirst(2).drop { $0 == "/" } }
        return String(rest)
    }

    /// Returns the directory of a file, with a trailing slash.
    private func folder(of file: String) -> String {
        let end = file.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = relative(end.map { String(file[...$0]) } ?? "")
        return folder.hasPrefix("/") ? folder : ownFolder + folder
    }

    private static func findHome() -> String? {
        let named = getenv("HOME").map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard var home = named ?? UserDatabase.home(of: geteuid()), home.hasPrefix("/") else { return nil }
        while home.hasSuffix("/") { home.removeLast() }
        return home
    }

    private static func findFolder() -> String {
        let path = getcwd(nil, 0)
        defer { free(path) }
        let folder = path.map { String(cString: $0) } ?? "/"
        return folder.hasSuffix("/") ? folder : "\(folder)/"
    }
}
