import Glibc
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPrograms

/// The programs that a configuration names, and the folders in which they run: each is looked for once.
///
/// Where programs are found may change until one is started, so that one that is not there is no fault.
final class ProgramNames {
    private var known: [String: Bool] = [:]
    private let paths: NamedPaths
    /// Where the daemon looks for programs.
    private lazy var folders = service?.programPath.map(ProgramFolders.init) ?? ProgramFolders()
    /// The service that runs them, if the configuration is only checked here.
    private let service: ServiceUnit?

    /// Looks for programs where the daemon does.
    ///
    /// - Parameters:
    ///   - paths: What paths mean.
    ///   - service: The service that runs them, if the configuration is only checked here.
    init(_ paths: NamedPaths, _ service: ServiceUnit? = nil) {
        self.paths = paths
        self.service = service
    }

    /// Finds out which program is meant; warns of one that is not there.
    ///
    /// - Parameters:
    ///   - word: A name, or a path, which has a slash.
    ///   - place: Where it is named.
    ///   - faults: Where faults are reported.
    /// - Returns: The name, or the path from `/` on; nil after a fault.
    func program(_ word: String, at place: Place, _ faults: FaultList) -> String? {
        let name = word.utf8.contains(UInt8(ascii: "/")) ? paths.path(word, at: place, faults) : word
        if let name { check(name, written: word, at: place, faults) }
        return name
    }

    /// Finds out which folder is meant; warns of one that is not there.
    ///
    /// - Parameters:
    ///   - node: Its path, in which braces are doubled, as in templates; it has no placeholders.
    ///   - faults: Where faults are reported.
    /// - Returns: The path from `/` on; nil after a fault.
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

    /// Warns of a program that is not there.
    ///
    /// - Parameters:
    ///   - name: Its name, or its path from `/` on.
    ///   - word: What the configuration calls it.
    ///   - place: Where it is named.
    ///   - faults: Where faults are reported.
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
        if let service, hint.isEmpty {
            let path = service.programPath == nil ? "PATH here" : "PATH of the service manager, \(folders),"
            return faults.leave(
                "program \(name.quoted), because it is not in the \(path) and no daemon was asked that has its own",
                at: place)
        }
        faults.warn("program \(name.quoted) not found in the daemon's PATH, \(folders)\(hint)", at: place)
    }

    /// Why a path is not that of a program.
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
    /// The text with one brace for each two; nil if a brace stands alone.
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
