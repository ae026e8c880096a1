import XCallbackPipeline
import XCallbackURL

/// A policy that lets the requests of some kinds of processes pass.
protocol ProcessPolicy: PeerPolicy, RehearsedStage, ConfiguredStage {
    /// What it is called, and what it tells processes apart by, for people.
    static var words: (name: String, kind: String) { get }
    /// Whether the process of an assistant says who has asked it.
    static var judgesAgents: Bool { get }
    /// What it lets pass, as the configuration names it.
    var names: [String] { get }

    /// Judges a process by what the system tells of it.
    ///
    /// - Parameter process: Its number, which must stay its own meanwhile.
    /// - Returns: Why it may not pass; nil if it may.
    func reasonAgainst(_ process: Int32) -> ProcessRefusal?
}

/// Why a process may not pass.
enum ProcessRefusal {
    /// Nobody can tell what it is.
    case unknown
    /// It is another one.
    case other
    /// Something else, as the end of a sentence.
    case reason(String)
}

extension ProcessPolicy {
    static var traits: StageTraits { .judgesClient }

    func verify(_ request: Request, process: Int32?) -> Verdict {
        let kind = Self.words.kind
        // The peer has only opened the URL; who wrote it is not known.
        if request.receivedOrigin == .desktop {
            return Self.refusal("it came through the desktop, which hides its \(kind)")
        }
        if request.receivedOrigin == .agent, !Self.judgesAgents {
            return Self.refusal("it came from an assistant, whose \(kind) does not identify the author")
        }
        switch process.map(reasonAgainst) ?? .unknown {
        case nil: return .verified
        case .unknown: return Self.refusal("cannot identify its \(kind)")
        case .other: return Self.refusal("the \(kind) is not allowed")
        case .reason(let reason): return Self.refusal(reason)
        }
    }

    private static func refusal(_ reason: String) -> Verdict { .failed(.refusal(by: words.name, reason)) }

    /// Says what the policy would, if there is a process at the other end of a connection.
    func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal {
        guard request.peer.connection != nil || request.receivedOrigin == .desktop else {
            let allowed = names.joined(separator: ", ")
            return Rehearsal(
                .open, notes: ["lets \(allowed) pass; which \(Self.words.kind) sends it is not known now"])
        }
        return Rehearsal(rehearsedVerdict(request, state.peers))
    }
}
