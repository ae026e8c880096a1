import XCallbackURL
import XCallbackWire

/// A secret in a parameter, which no stage may see.
///
/// The parameter is compared and removed before the first middleware receives the request; the verdict follows in the
/// order of the policies.
package struct Secret: Sendable {
    /// The name of the parameter.
    package let parameterName: String
    /// The position of its policy among those of the route, below 64.
    private let position: Int
    /// The secret; if it is empty, no value is accepted.
    private let bytes: [UInt8]

    /// Creates a secret.
    package init(_ bytes: [UInt8], in parameterName: String, at position: Int) {
        self.bytes = bytes
        self.parameterName = parameterName
        self.position = position
    }

    /// Whether a request contained the secret.
    package func isAccepted(in request: borrowing Request) -> Bool { request.acceptedSecrets & bit != 0 }

    /// The bit that stands for the secret in a request.
    fileprivate var bit: UInt64 { 1 << UInt64(position) }

    /// Whether a value is the secret; the time depends only on the length of the value, which the sender already has.
    fileprivate func equals(_ value: Span<UInt8>) -> Bool {
        if bytes.isEmpty { return false }
        var difference = bytes.count ^ value.count
        for index in value.indices { difference |= Int(value[index] ^ bytes[index % bytes.count]) }
        return difference == 0
    }
}

extension Request {
    /// Compares the secrets of a request, and keeps the results.
    mutating func compare(_ secrets: [Secret]) {
        acceptedSecrets = 0
        for secret in secrets where holds(secret) { acceptedSecrets |= secret.bit }
    }

    /// Removes the secrets of a request.
    mutating func hide(_ secrets: [Secret]) {
        for secret in secrets { hideItems { areEqual($0, secret.parameterName.utf8.span) } }
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
    private func holds(_ secret: Secret) -> Bool {
        let name = Array(secret.parameterName.utf8)
        let texts = url.storage.bytes.span
        var found: QueryItems.Entry?
        for index in url.entries.indices where areEqual(texts.extracting(url.entries[index].name), name.span) {
            guard found == nil else { return false }
            found = url.entries[index]
        }
        guard let found, found.hasValue else { return false }
        return secret.equals(texts.extracting(found.value))
    }
}
