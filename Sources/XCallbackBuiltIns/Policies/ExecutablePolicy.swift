import Glibc
import XCallbackConfiguration
import XCallbackPipeline

/// Lets the requests of some programs pass: `executable: /usr/bin/notes`, or a list of paths.
///
/// The program is the file that the peer's process runs when the request is looked at. Files are compared, not their
/// names, as a process can have a root directory of its own, in which any file has any name.
struct ExecutablePolicy: ProcessPolicy {
    /// The program that connects is the same for every assistant.
    static let judgesAgents = false
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
        guard let program = ProcessFacts.executable(of: process) else { return .unknown }
        return names.contains { ExecutableIdentity(ofFile: $0) == program } ? nil : .other
    }
}

/// What tells a file from all others, whatever its name.
struct ExecutableIdentity: Equatable {
    let device: UInt
    let number: UInt

    /// Finds the identity of a file; nil if it is not there, or cannot be seen.
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

extension ExecutablePolicy: AgentGate {
    var refusesAgents: Bool { true }
}
