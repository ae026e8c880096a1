import Glibc
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPrograms

/// The programs in a configuration and their working directories, each of which is looked up once.
///
/// A missing program is not a fault, because it can be installed before it is started.
final class ProgramNames {
    private var known: [String: ProgramObstacle?] = [:]
    /// Resolves the paths of the configuration.
    let paths: NamedPaths
    /// The directories in which this process searches programs.
    private lazy var folders = ProgramFolders()

    /// Creates a lookup in the directories of this process.
    ///
    /// - Parameter paths: Resolves paths.
    init(_ paths: NamedPaths) {
        self.paths = paths
    }

    /// Finds a program; warns if it cannot be started.
    ///
    /// - Parameters:
    ///   - word: A name, or a path, which contains a slash.
    ///   - place: The place of the name.
    ///   - faults: Receives faults.
    /// - Returns: The name, or the absolute path; nil after a fault.
    func program(_ word: String, at place: Place, _ faults: FaultList) -> String? {
        let name = word.utf8.contains(UInt8(ascii: "/")) ? paths.path(word, at: place, faults) : word
        if let name { check(name, at: place, faults) }
        return name
    }

    /// Finds a directory; warns if it cannot be entered.
    ///
    /// - Parameters:
    ///   - node: The path, a template without placeholders.
    ///   - source: The stage of the program.
    /// - Returns: The absolute path; nil after a fault.
    func folder(_ node: Node, _ source: StageSource) -> [UInt8]? {
        guard let template = Template(node, source) else { return nil }
        guard let text = template.literal.map({ String(decoding: $0, as: UTF8.self) }), !text.isEmpty,
            !text.utf8.contains(0)
        else {
            source.faults.report(
                "expected the path of a folder, without placeholders, found \(node.found)", at: node.place)
            return nil
        }
        guard let path = paths.path(text, at: node.place, source.faults) else { return nil }
        if let obstacle = ProgramObstacle(entering: path) {
            source.faults.warn("\(obstacle)", at: node.place, breaksRoute: true)
        }
        return Array(path.utf8)
    }

    /// Warns if a program cannot be started.
    ///
    /// - Parameters:
    ///   - name: The name, or the absolute path.
    ///   - place: The place of the name.
    ///   - faults: Receives faults.
    func check(_ name: String, at place: Place, _ faults: FaultList) {
        guard let obstacle = obstacle(to: name) else { return }
        if name.utf8.contains(UInt8(ascii: " ")) {
            let advice = "if its arguments are meant too, write each word as an element, [PROGRAM, ARGUMENT]"
            return faults.warn("\(name.quoted) is not a program: \(advice)", at: place, breaksRoute: true)
        }
        let isShellWord = name.split(separator: "/").contains("$HOME")
        let hint = isShellWord ? ": no shell reads '$HOME', write '~'" : ""
        faults.warn("\(obstacle)\(hint)", at: place, breaksRoute: true)
    }

    private func obstacle(to name: String) -> ProgramObstacle? {
        if let known = known[name] { return known }
        let obstacle = ProgramObstacle(starting: name, in: folders)
        known[name] = .some(obstacle)
        return obstacle
    }
}

/// Resolves paths in a configuration: absolute ones, those below the home directory (`~/`), and those relative to the
/// directory of the file that contains them.
final class NamedPaths {
    /// Whether the system's daemon reads the configuration; it has no home directory.
    private let isOfSystem: Bool
    /// The home directory of the daemon's user, without a trailing slash; nil if there is none.
    private lazy var home: String? = Self.findHome()
    /// The working directory of the process.
    private lazy var ownFolder = workingFolder()

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

}
