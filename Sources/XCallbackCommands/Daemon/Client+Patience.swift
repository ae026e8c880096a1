import XCallbackClient
import XCallbackURL

extension Client {
    /// How long a daemon may take to tell how it does: it does so at once, unless it hangs.
    private static let patience = Duration.seconds(5)

    /// How the daemon does, if it does not take too long.
    ///
    /// - Returns: What it tells.
    /// - Throws: `ClientError`, also of a daemon that takes connections and does not answer.
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
