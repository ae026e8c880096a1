import Glibc
import XCallbackConfiguration

/// The programs that a configuration names: each is looked for once.
///
/// Where programs are found may change until one is started, so that one that is not there is no fault.
package final class ProgramNames {
    private var known: [String: Bool] = [:]
    /// Where the daemon looks for programs.
    private lazy var folders: [String] = {
        let path = getenv("PATH").map { String(cString: $0) } ?? ProgramEnvironment.defaultPath
        // An empty name stands for the folder in which the daemon runs.
        return path.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { folder in
            folder.isEmpty ? "." : String(Substring(folder))
        }
    }()

    /// Looks for programs where the daemon does.
    package init() {}

    /// Warns of a program that is not there.
    ///
    /// - Parameters:
    ///   - name: Its name, or its path from `/` on.
    ///   - place: Where it is named.
    ///   - faults: Where faults are reported.
    func check(_ name: String, at place: Place, _ faults: FaultList) {
        if isThere(name) { return }
        faults.warn(
            name.hasPrefix("/")
                ? "\(name.quoted) is no program that can be run"
                : "no program is called \(name.quoted) in the folders of PATH", at: place)
    }

    /// Whether there is a program of a name, or at a path.
    package func isThere(_ name: String) -> Bool {
        if let known = known[name] { return known }
        let isThere = path(of: name) != nil
        known[name] = isThere
        return isThere
    }

    /// Where the program of a name is at the moment; nil if there is none.
    package func path(of name: String) -> String? {
        let paths = name.utf8.contains(UInt8(ascii: "/")) ? [name] : folders.map { "\($0)/\(name)" }
        return paths.first(where: Self.isProgram)
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
