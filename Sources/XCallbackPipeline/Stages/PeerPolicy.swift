import Synchronization

/// A policy that inspects the peer process, which may block on a disk.
///
/// It runs in order among the policies, off the loop.
package protocol PeerPolicy: Sendable {
    /// Decides on a request.
    ///
    /// - Parameters:
    ///   - request: The request after all middleware.
    ///   - process: The ID of the peer process; nil if there is none, or if its inspection timed out.
    /// - Returns: The verdict; it does not depend on other policies.
    func verify(_ request: Request, process: Int32?) -> Verdict
}

extension PeerPolicy {
    /// Decides on a request.
    ///
    /// - Parameters:
    ///   - request: The request after all middleware.
    ///   - peers: Reads facts about processes; nil if there is no such reader.
    /// - Returns: The verdict.
    package func verify(_ request: Request, _ peers: (any PeerReader)?) async -> Verdict {
        await withCheckedContinuation { continuation in
            verify(request, peers) { continuation.resume(returning: $0) }
        }
    }

    /// Decides on a rehearsed request.
    ///
    /// - Parameters:
    ///   - request: The request after all middleware.
    ///   - peers: Reads facts about processes at once, for a rehearsal; nil if there is no such reader.
    /// - Returns: The verdict.
    package func rehearsedVerdict(_ request: Request, _ peers: (any PeerReader)?) -> Verdict {
        let found = FoundVerdict()
        verify(request, peers) { verdict in found.verdict.withLock { $0 = verdict } }
        return found.verdict.withLock { $0 } ?? verify(request, process: nil)
    }

    private func verify(
        _ request: Request, _ peers: (any PeerReader)?, done: @escaping @Sendable (Verdict) -> Void
    ) {
        guard let peers else { return done(verify(request, process: nil)) }
        peers.look(into: request.peer) {
            verify(request, process: $0)
        } done: {
            done($0 ?? verify(request, process: nil))
        }
    }
}

private final class FoundVerdict: Sendable {
    let verdict = Mutex<Verdict?>(nil)
}
