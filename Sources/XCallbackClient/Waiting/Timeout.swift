import XCallbackURL

/// Waits for what a function comes to, but not longer than a time, and not longer than the task lives.
///
/// The function is cancelled then, but not waited for, whatever it does.
///
/// - Throws: What the function throws; ``CallbackError`` 504; `CancellationError`.
package func withTimeout<Result: Sendable>(
    _ timeout: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try Task.checkCancellation()
    return try await Race.result { race in
        race.enter(body)
        race.enter {
            try await Task.sleep(for: timeout)
            throw CallbackError(.timedOut, "No answer came within \(timeout).")
        }
    }
}
