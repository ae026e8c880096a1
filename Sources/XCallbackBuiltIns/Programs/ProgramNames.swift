import Glibc
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPrograms

/// The programs in a configuration and their working directories, each of which is looked up once.
///
/// A missing program is not a fault, because it can be installed before it is started.
final class ProgramNames {
    private var known: [String: Bool] = [:]
    private let paths: NamedPaths
    /// The directories in which this process searches programs.
    private lazy var folders = ProgramFolders()
    /// Whether another process, the daemon, searches and runs the programs.
    private let isChecking: Bool

    /// Creates a lookup in the directories of this process.
    ///
    /// - Parameters:
    ///   - paths: Resolves paths.
    ///   - isChecking: Whether another process, the daemon, searches and runs the programs.
    init(_ paths: NamedPaths, isChecking: Bool = false) {
        self.paths = paths
        self.isChecking = isChecking
    }

    /// Finds a program; warns if it does not exist.
    ///
    /// - Parameters:
    ///   - word: A name, or a path, which contains a slash.
    ///   - place: The place of the name.
    ///   - faults: Receives faults.
    /// - Returns: The name, or the absolute path; nil after a fault.
    func program(_ word: String, at place: Place, _ faults: FaultList) -> String? {
        let name = word.utf8.contains(UInt8(ascii: "/")) ? paths.path(word, at: place, faults) : word
        if let name { check(name, written: word, at: place, faults) }
        return name
    }

    /// Finds a directory; warns if it does not exist.
    ///
    /// - Parameters:
    ///   - node: The path, in which braces are doubled, as in templates; it has no placeholders.
    ///   - faults: Receives faults.
    /// - Returns: The absolute path; nil after a fault.
    func folder(_ node: Node, _ faults: FaultList) -> [UInt8]? {
        guard let text = node.string(faults) else { return nil }
        guard !text.isEmpty, !text.utf8.contains(0) else {
            faults.report("expected the path of a folder, found \(node.found)", at: node.place)
            return nil
        }
        guard let text = text.withSingleBraces else {
            faults.report("'cwd' takes no placeholders: write '{{' and '}}' for braces", at: node.place)
            return nil
        }
        guard let path = paths.path(text, at: node.place, faults) else { return nil }
        var status = stat()
        if stat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR || access(path, X_OK) != 0 {
            faults.warn("'\(path)' is not a folder that can be entered", at: node.place)
        }
        return Array(path.utf8)
    }

    /// Warns if a program does not exist.
    ///
    /// - Parameters:
    ///   - name: The name, or the absolute path.
    ///   - word: The program as written in the configuration.
    ///   - place: The place of the name.
    ///   - faults: Receives faults.
    func check(_ name: String, written word: String? = nil, at place: Place, _ faults: FaultList) {
        if isThere(name) { return }
        var hint = ""
        if name.split(separator: "/").contains("$HOME") { hint = ": no shell reads '$HOME', write '~'" }
        if name.utf8.contains(UInt8(ascii: " ")) {
            let list = ShellLine(word ?? name).list
            hint = list.map { ": if its arguments are meant too, write \($0)" } ?? hint
        }
        if name.hasPrefix("/") {
            if hint.isEmpty { hint = ": \(Self.obstacle(at: name))" }
            return faults.warn("'\(name)' is not a program that can be run\(hint)", at: place)
        }
        if isChecking, hint.isEmpty {
            return faults.leave(
                "program \(name.quoted), because it is not in the PATH here, \(folders), and the daemon has its own: "
                    + "write its whole path", at: place)
        }
        faults.warn("program \(name.quoted) not found in the daemon's PATH, \(folders)\(hint)", at: place)
    }

    /// The reason why a path is not that of a program.
    private static func obstacle(at path: String) -> String {
        var status = stat()
        if stat(path, &status) != 0 {
            return [ENOENT, ENOTDIR].contains(errno) ? "it is not there" : systemMessage(errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return "it is not executable: run 'chmod +x \(path)'"
        case S_IFDIR: return "it is a folder"
        default: return "it is not a file"
        }
    }

    private func isThere(_ name: String) -> Bool {
        if let known = known[name] { return known }
        let isThere = folders.path(of: name) != nil
        known[name] = isThere
        return isThere
    }
}

extension String {
    /// The text with each doubled brace replaced by a single one; nil if it has a single brace.
    fileprivate var withSingleBraces: String? {
        var text = ""
        var rest = unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "{" || scalar == "}" { guard rest.popFirst() == scalar else { return nil } }
            text.unicodeScalars.append(scalar)
        }
        return text
    }
}
