import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Accepts the requests of some users; `self` is the user of the daemon.
///
/// Names are looked up when the configuration is loaded, because the lookup can block.
struct UserPolicy: Policy, ConfiguredStage {
    private let userIDs: [UInt32]
    /// The users as written in the configuration.
    private let names: [String]

    var facts: StageFacts {
        StageFacts {
            $0.usesParameters = false
            $0.checksOnlyClient = true
            $0.checksOnlyUser = true
            $0.acceptsValues = Set(userIDs.map { "\($0)" })
        }
    }

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("a user, or a list of users"), let names = node.strings(source.faults)
        else { return nil }
        self.names = names
        userIDs = names.compactMap { name in
            let userID = Self.userID(named: name, source)
            if userID == nil {
                source.faults.report(
                    "unknown user \(name.quoted): expected 'self', a name or a number"
                        + userOrGroupHint(name, words: ["self"]), at: node.place)
            }
            return userID
        }
        if names.isEmpty { source.faults.report("expected at least one user", at: node.place) }
    }

    func verify(_ request: Request, _ state: inout PipelineState) -> PolicyResult {
        userIDs.contains(request.peer.userID)
            ? .verified : .failed(.refusal(by: "user", "the user is not allowed"))
    }

    private static func userID(named name: String, _ source: StageSource) -> UInt32? {
        if name == "self" { return source.surroundings.ownUserID }
        return userOrGroupNumber(name) ?? source.surroundings.users.number(of: name)
    }

    func plan(for request: Request) -> StagePlan { StagePlan("only \(names.alternatives)", isPrivate: true) }
}
