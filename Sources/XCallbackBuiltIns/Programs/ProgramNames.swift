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
        if let obstacle = ProgramObstacle(entering: path) {
            faults.warn("\(obstacle)", at: node.place, breaksRoute: true)
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
