/// Which clients may receive what a route delivers or publishes, besides those of the daemon's user and of root.
package struct ReceiverRule: Sendable {
    private let policies: [any Policy]

    /// Creates a rule from policies that must all verify; without a policy no other client may receive.
    package init(_ policies: [any Policy]) {
        self.policies = policies
    }

    /// Whether a client may receive.
    ///
    /// - Parameters:
    ///   - peer: The client; neither the user of the daemon nor root.
    ///   - state: What stages remember.
    /// - Returns: Whether all policies verify it.
    package func allows(_ peer: Peer, _ state: inout PipelineState) -> Bool {
        if policies.isEmpty { return false }
        let request = Request(peer: peer, origin: .socket)
        return policies.allSatisfy { $0.verify(request, &state) == .verified }
    }
}
