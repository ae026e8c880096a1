import XCallbackConfiguration
import XCallbackPrograms

/// The programs that a configuration names: each is looked for once.
///
/// Where programs are found may change until one is started, so that one that is not there is no fault.
final class ProgramNames {
    private var known: [String: Bool] = [:]
    /// Where the daemon looks for programs.
    private lazy var folders = ProgramFolders()

    /// Looks for programs where the daemon does.
    init() {}

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

    private func isThere(_ name: String) -> Bool {
        if let known = known[name] { return known }
        let isThere = folders.path(of: name) != nil
        known[name] = isThere
        return isThere
    }
}
