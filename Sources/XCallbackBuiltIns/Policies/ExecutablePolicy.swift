import Glibc
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Lets the requests of some programs pass: `executable: /usr/bin/notes`, or a list of paths.
///
/// The program is the file that the peer's process runs when the request is looked at. Files are compared, not their
/// names, as a process can have a root directory of its own, in which any file has any name.
struct ExecutablePolicy: Policy, ConfiguredStage {
    static var traits: StageTraits { .judgesClient }

    private let paths: [String]

    var usesParameters: Bool { false }

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("the path of a program, or a list of paths"),
            let paths = node.strings(source.faults)
        else { return nil }
        for path in paths where !path.hasPrefix("/") || path.hasSuffix("/") {
            source.faults.report("expected the path of a program from '/' on, found \(path.quoted)", at: node.place)
        }
        if paths.isEmpty { source.faults.report("expected at least one program", at: node.place) }
        self.paths = paths
        source.surroundings.looksIntoPeers = true
    }

    func verify(_ request: Request, _ state: inout PipelineState) -> Verdict {
        // The peer has only opened the URL; who wrote it is not known.
        if request.receivedOrigin == .desktop {
            return .failed(
                .refusal(by: "executable", "it came through the desktop, which hides the program that it is from"))
        }
        let program = state.peers?.withProcess(of: request.peer) { ProcessFacts.executable(of: $0) }
        guard let program else {
            return .failed(.refusal(by: "executable", "nobody can tell which program it is from"))
        }
        let isAllowed = paths.contains { ExecutableIdentity(ofFile: $0) == program }
        return isAllowed ? .verified : .failed(.refusal(by: "executable", "it is for other programs"))
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

extension ExecutablePolicy: RehearsedStage {
    /// Says what the policy would, if there is a process at the other end of a connection.
    func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal {
        if request.peer.connection == nil, request.receivedOrigin != .desktop {
            return Rehearsal(
                .open, notes: ["lets \(paths.joined(separator: ", ")) pass; which program sends it is not known now"])
        }
        switch verify(request, &state) {
        case .verified: return Rehearsal(.proceeds)
        case .failed(let error): return Rehearsal(.ends(.error(error)))
        }
    }
}
