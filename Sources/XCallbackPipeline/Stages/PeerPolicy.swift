import Synchronization

/// A policy that looks into the process of the peer, which may have to wait for a disk.
///
/// It is asked in its turn among the policies, beside the loop.
package protocol PeerPolicy: Sendable {
    /// Decides on a request.
    ///
    /// - Parameters:
    ///   - request: The request after all middleware.
    ///   - process: The number of the peer's process; nil if there is none, or nobody could look into it in time.
    /// - Returns: The verdict; it does not depend on other policies.
    func verify(_ request: Request, process: Int32?) -> Verdict
}

extension PeerPolicy {
    /// Decides on a request.
    ///
    /// - Parameters:
    ///   - request: The request after all middleware.
    ///   - peers: What looks into processes; nil if nothing does.
    /// - Returns: The verdict.
    package func verify(_ request: Request, _ peers: (any PeerReader)?) async -> Verdict {
        await withCheckedContinuation { continuation in
            verify(request, peers) { continuation.resume(returning: $0) }
        }
    }

    /// Decides on a request that is rehearsed.
    ///
    /// - Parameters:
    ///   - request: The request after all middleware.
    ///   - peers: What looks into processes at once, as for a rehearsal; nil if nothing does.
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
