import XCallbackURL

/// A client that asks about routes, as the policies see it that check only the client, at once: it sees the routes that they let
/// it open.
package final class Viewer: StageHost {
    package let time: Int64 = 0
    package let wallTime = Duration.zero
    private let peer: Peer
    private let groups: [UInt32]?

    /// Creates a viewer.
    ///
    /// - Parameters:
    ///   - peer: The client.
    ///   - groups: Its supplementary groups; nil if unknown.
    package init(_ peer: Peer, groups: [UInt32]?) {
        (self.peer, self.groups) = (peer, groups)
    }

    package func groups(of peer: Peer) -> [UInt32]? { groups }

    /// Whether the policies about the client let the client open a route.
    package func sees(_ route: Route) -> Bool { refusal(of: route) == nil }

    /// The answer to each request of the client for a route; nil if it may open the route.
    func refusal(of route: Route) -> CallbackError? {
        let request = Request(peer: peer, origin: .socket)
        for policy in route.stages.policies where policy.facts.checksOnlyClient {
            if case .immediate(let check) = policy.stage, case .failed(let error) = check.verify(request, self) {
                return error
            }
        }
        return nil
    }
}
