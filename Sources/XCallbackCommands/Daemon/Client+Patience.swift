import XCallbackAdministration
import XCallbackClient
import XCallbackURL

extension Client {
    /// The maximum time for the daemon's status, which it returns at once unless it hangs.
    private static let patience = Duration.seconds(5)

    /// Returns the daemon's status, with a timeout.
    ///
    /// - Returns: The status.
    /// - Throws: `ClientError`, also if the daemon accepts connections and does not answer.
    func statusInTime() async throws -> Status {
        do {
            return try await withTimeout(Self.patience) { try await self.status() }
        } catch let error as CallbackError {
            guard error.code == .timedOut else { throw error }
            throw ClientError(
                .disconnected,
                "the daemon accepts connections, but did not answer within \(Self.patience.components.seconds) s: it may be "
                    + "stopped (SIGSTOP) or hang; check its process, or restart it")
        }
    }
}
