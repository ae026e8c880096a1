import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Accepts the requests of the members of some groups: `group: admins`, or a list of names and numbers.
///
/// A peer's groups are those at the time of its connection. Names are looked up when the configuration is loaded,
/// because the lookup can block.
struct GroupPolicy: Policy, ConfiguredStage {
    private let groupIDs: [UInt32]
    /// The groups as written in the configuration.
    private let names: [String]

    var facts: StageFacts { .ofUser }

    init?(_ source: StageSource) {
        guard let names = source.names("a group, or a list of groups", atLeastOne: "group") else { return nil }
        self.names = names
        groupIDs = source.numbers(of: names, "group", source.surroundings.groups)
    }

    func verify(_ request: Request, _ state: inout PipelineState) -> PolicyResult {
        if groupIDs.contains(request.peer.groupID) { return .verified }
        guard let others = state.peers?.groups(request.peer) else {
            return .failed(.refusal(by: "group", "the groups of the client are unknown, or more than 1024"))
        }
        if others.contains(where: groupIDs.contains) { return .verified }
        return .failed(.refusal(by: "group", "the user is not in an allowed group"))
    }

    func plan(for request: Request) -> StagePlan {
        StagePlan("only members of \(names.alternatives)", isPrivate: true)
    }
}
