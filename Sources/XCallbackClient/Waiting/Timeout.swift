import XCallbackURL

/// Waits for the result of a function, but only until a timeout or until the task is cancelled.
///
/// Then the function is cancelled, but not awaited.
///
/// - Throws: The error of the function; ``CallbackError`` 504; `CancellationError`.
package func withTimeout<Result: Sendable>(
    _ timeout: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try Task.checkCancellation()
    return try await Race.result { race in
        race.enter(body)
        race.enter {
            try await Task.sleep(for: timeout)
            throw CallbackError(.timedOut, "No answer came within \(timeout).", by: .connection)
        }
    }
}
