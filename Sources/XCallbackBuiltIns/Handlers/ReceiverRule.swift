import XCallbackConfiguration
package import XCallbackPipeline
import XCallbackURL

/// Who may receive what a route delivers or publishes (`receivers:`), beside the user of the daemon and root.
package struct ReceiverRule: Sendable {
    /// The policies that tell something of a client itself, whatever it asks for.
    static let policyNames = ["app", "executable", "group", "user"]

    private let policies: [any Policy]

    /// Creates a rule from policies that must all verify; without one nobody else may receive.
    init(_ policies: [any Policy]) {
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

extension StageSource {
    /// The name under which a handler gives things to clients; nil after a fault.
    func clientName(_ expectation: String) -> String? {
        guard let name = requiredNode(expectation)?.string(faults) else { return nil }
        let isPlain = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._".utf8.contains(byte)
        }
        guard isPlain, (1...128).contains(name.utf8.count) else {
            faults.report(
                "expected \(expectation) of letters, digits, '-', '.' and '_', at most 128, found \(name.quoted)",
                at: node?.place ?? place)
            return nil
        }
        return name
    }
}
