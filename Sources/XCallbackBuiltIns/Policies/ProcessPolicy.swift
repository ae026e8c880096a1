import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// A policy that accepts the requests of certain processes.
protocol ProcessPolicy: PeerPolicy, ExplainedStage, ConfiguredStage {
    /// The policy's name, and the word for what it compares, for people.
    static var words: (name: String, kind: String) { get }
    /// Whether an assistant's process identifies the assistant.
    static var judgesAgents: Bool { get }
    /// The accepted names, as written in the configuration.
    var names: [String] { get }

    /// Checks a process by the system's facts about it.
    ///
    /// - Parameter process: The process ID, which must not be reused meanwhile.
    /// - Returns: The reason to reject it; nil to accept it.
    func reasonAgainst(_ process: Int32) -> ProcessRefusal?
}

/// The reason to reject a process.
enum ProcessRefusal {
    /// The process cannot be identified.
    case unknown
    /// It is a different one.
    case other
    /// Another reason, as the end of a sentence.
    case reason(String)
}

extension ProcessPolicy {
    static var traits: StageTraits { .judgesClient }

    func verify(_ request: Request, process: Int32?) -> PolicyResult {
        let kind = Self.words.kind
        // The peer only opened the URL; the author of the URL is unknown.
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

    private static func refusal(_ reason: String) -> PolicyResult { .failed(.refusal(by: words.name, reason)) }

    func plan(for request: Request) -> StagePlan {
        StagePlan("only a process whose \(Self.words.kind) is \(names.alternatives)")
    }
}
