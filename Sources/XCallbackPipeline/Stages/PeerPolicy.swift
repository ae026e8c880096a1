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
    func verify(_ request: Request, process: Int32?) -> PolicyResult
}

extension PeerPolicy {
    /// Decides on a request.
    ///
    /// - Parameters:
    ///   - request: The request after all middleware.
    ///   - peers: Reads facts about processes; nil if there is no such reader.
    /// - Returns: The verdict.
    package func verify(_ request: Request, _ peers: (any PeerReader)?) async -> PolicyResult {
        guard let peers else { return verify(request, process: nil) }
        return await withCheckedContinuation { continuation in
            peers.look(into: request.peer) {
                verify(request, process: $0)
            } done: {
                continuation.resume(returning: $0 ?? verify(request, process: nil))
            }
        }
    }
}
