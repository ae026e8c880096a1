import XCallbackConfiguration
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL

/// A policy that accepts the requests of certain processes.
protocol ProcessPolicy: AsyncPolicy, ConfiguredStage {
    /// The policy's name, and the word for what it compares, for people.
    static var words: (name: String, kind: String) { get }
    /// Whether an assistant's process identifies the assistant.
    static var checksAgents: Bool { get }
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
    var facts: StageFacts {
        StageFacts {
            $0.usesParameters = false
            $0.checksOnlyClient = true
            $0.inspectsPeer = true
            $0.acceptsOrigins = Self.checksAgents ? [.trusted, Origin.agent.bit] : .trusted
        }
    }

    func verify(_ request: Request, _ host: any StageHost) async -> Response? {
        let kind = Self.words.kind
        // The peer only opened the URL; the author of the URL is unknown.
        if request.receivedOrigin == .desktop {
            return .error(Self.refusal("it came through the desktop, which hides its \(kind)"))
        }
        if request.receivedOrigin == .agent, !Self.checksAgents {
            return .error(Self.refusal("it came from an assistant, whose \(kind) does not identify the author"))
        }
        let found = await host.inspect(request.peer) { verdict(on: reasonAgainst($0)) }
        guard case .failed(let error) = found ?? verdict(on: .unknown) else { return nil }
        return .error(error)
    }

    private func verdict(on reason: ProcessRefusal?) -> PolicyResult {
        switch reason {
        case nil: .verified
        case .unknown: .failed(Self.refusal("cannot identify its \(Self.words.kind)"))
        case .other: .failed(Self.refusal("the \(Self.words.kind) is not allowed"))
        case .reason(let reason): .failed(Self.refusal(reason))
        }
    }

    private static func refusal(_ reason: String) -> CallbackError { .refusal(by: words.name, reason) }

    func plan(for request: Request) -> StagePlan {
        StagePlan("only a process whose \(Self.words.kind) is \(names.alternatives)")
    }
}
