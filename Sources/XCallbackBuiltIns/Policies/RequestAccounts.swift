package import XCallbackEventLoop
package import XCallbackPipeline

/// What stages need of the account of a request; set by the daemon.
///
/// Without a daemon nothing is counted.
package struct RequestAccounts: StageMemory {
    /// Whether a request can write another line to the log.
    package var mayLog: @Sendable (Request) -> Bool = { _ in true }

    /// Whether a rate allows a request; the failure is that its owner has no room for another bucket.
    ///
    /// The number identifies the bucket among those of the owner, or of all users together.
    package var admit:
        @Sendable (Request, _ number: UInt64, _ isShared: Bool, RateLimit, _ now: Int64) -> Result<Bool, Excess> = {
            _, _, _, _, _ in .success(true)
        }

    package init() {}
}
