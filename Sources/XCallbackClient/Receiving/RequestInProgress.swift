/// A request that is being answered, and can end before it is.
final class RequestInProgress: Sendable {
    /// The name of the request.
    let id: String
    private let task: Task<Void, any Error>
    private let hasEnded = Flag()

    /// Begins to answer.
    ///
    /// - Parameters:
    ///   - id: The name of the request.
    ///   - body: Answers it; it can ask whether the request has ended meanwhile.
    init(id: String, _ body: @escaping @Sendable (@Sendable () -> Bool) async throws -> Void) {
        self.id = id
        task = Task { [hasEnded] in try await body { hasEnded.isRaised } }
    }

    /// Cancels it, because its caller has left or its limit has expired.
    func end() {
        hasEnded.raise()
        task.cancel()
    }

    /// Waits until it is answered, or cannot be.
    func finish() async { _ = await task.result }

    /// Waits until it is answered; it is cancelled with the caller, and at its limit if the daemon does not say so.
    func run(within limit: Duration) async throws {
        let alarm = Task {
            // A little later than the daemon, whose word counts.
            try await Task.sleep(for: limit + .seconds(1))
            end()
        }
        defer { alarm.cancel() }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
