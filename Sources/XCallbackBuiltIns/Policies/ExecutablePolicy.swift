import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter

/// Accepts the requests of some programs: `executable: /usr/bin/notes`, or a list of paths.
///
/// The program is the file that the peer's process runs when the request is checked. The policy compares files instead
/// of names, because a process can have its own root directory, in which any file can have any name.
struct ExecutablePolicy: ProcessPolicy {
    /// The connecting program is the same for every assistant.
    static let checksAgents = false
    static let words = (name: "executable", kind: "program")

    let names: [String]

    init?(_ source: StageSource) {
        guard let paths = source.names("the path of a program, or a list of paths", atLeastOne: "program")
        else { return nil }
        for path in paths where !path.hasPrefix("/") || path.hasSuffix("/") {
            source.faults.report("expected the absolute path of a program, found \(path.quoted)", at: source.valuePlace)
        }
        names = paths
    }

    func reasonAgainst(_ process: Int32) -> ProcessRefusal? {
        guard let program = FileIdentity(ofFile: "/proc/\(process)/exe") else { return .unknown }
        return names.contains { FileIdentity(ofFile: $0) == program } ? nil : .other
    }
}
