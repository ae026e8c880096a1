import XCallbackBytes
import XCallbackURL

/// A policy on a query item that contains a secret, which no other stage may see.
///
/// The item is checked and removed before the first middleware receives the request; the verdict follows in the order
/// of the policies.
package protocol SecretPolicy: Policy {
    /// The name of the item.
    var parameterName: String { get }
    /// The policy's position among those of its route, below 64.
    var position: Int { get }

    /// Whether the item's value is the secret; takes the same time regardless of which bytes differ.
    func accepts(_ value: Span<UInt8>) -> Bool
}

extension SecretPolicy {
    /// Whether a request contained the secret.
    package func hasAccepted(_ request: borrowing Request) -> Bool {
        request.acceptedSecrets & (1 << UInt64(position)) != 0
    }
}

extension Request {
    /// Compares the secrets of a request, and keeps the results.
    mutating func compareSecrets(of policies: [any SecretPolicy]) {
        acceptedSecrets = 0
        for policy in policies where holdsSecret(of: policy) {
            acceptedSecrets |= 1 << UInt64(policy.position)
        }
    }

    /// Removes the secrets of a request.
    mutating func hideSecrets(of policies: [any SecretPolicy]) {
        for policy in policies { hideItems { areEqual($0, policy.parameterName.utf8.span) } }
    }

    /// Removes the items whose names satisfy a condition from the URLs of the request.
    ///
    /// The parameters, once they are gathered, keep them.
    package mutating func hideItems(where isHidden: (Span<UInt8>) -> Bool) {
        url.hideItems(where: isHidden)
        guard var received = receivedURL else { return }
        received.hideItems(where: isHidden)
        receivedURL = received
    }

    /// Whether the query contains the item exactly once, with the secret.
    private func holdsSecret(of policy: any SecretPolicy) -> Bool {
        let name = Array(policy.parameterName.utf8)
        let texts = url.storage.bytes.span
        var found: QueryItems.Entry?
        for index in url.entries.indices where areEqual(texts.extracting(url.entries[index].name), name.span) {
            guard found == nil else { return false }
            found = url.entries[index]
        }
        guard let found, found.hasValue else { return false }
        return policy.accepts(texts.extracting(found.value))
    }
}
