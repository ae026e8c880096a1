import Glibc
import XCallbackConfiguration
import XCallbackPipeline

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
        guard let node = source.requiredNode("the path of a program, or a list of paths"),
            let paths = node.strings(source.faults)
        else { return nil }
        for path in paths where !path.hasPrefix("/") || path.hasSuffix("/") {
            source.faults.report("expected the absolute path of a program, found \(path.quoted)", at: node.place)
        }
        if paths.isEmpty { source.faults.report("expected at least one program", at: node.place) }
        names = paths
    }

    func reasonAgainst(_ process: Int32) -> ProcessRefusal? {
        guard let program = ExecutableIdentity(ofFile: "/proc/\(process)/exe") else { return .unknown }
        return names.contains { ExecutableIdentity(ofFile: $0) == program } ? nil : .other
    }
}

/// The identity of a file, independent of its name.
struct ExecutableIdentity: Equatable {
    let device: UInt
    let number: UInt

    /// Finds the identity of a file; nil if it does not exist or is not accessible.
    init?(ofFile path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(device: UInt(status.st_dev), number: UInt(status.st_ino))
    }

    init(device: UInt, number: UInt) {
        self.device = device
        self.number = number
    }
}
