/// A request that is being answered, and can end before that.
final class RequestInProgress: Sendable {
    /// The ID of the request.
    let id: String
    private let task: Task<Void, any Error>
    private let hasEnded = Flag()

    /// Starts to answer a request.
    ///
    /// - Parameters:
    ///   - id: The ID of the request.
    ///   - body: Answers the request; its argument returns whether the request has ended in the meantime.
    init(id: String, _ body: @escaping @Sendable (@Sendable () -> Bool) async throws -> Void) {
        self.id = id
        task = Task { [hasEnded] in try await body { hasEnded.isRaised } }
    }

    /// Cancels the request, because its caller has left or it has timed out.
    func end() {
        hasEnded.raise()
        task.cancel()
    }

    /// Waits until the request is answered or has failed.
    func finish() async { _ = await task.result }

    /// Waits until the request is answered; it is cancelled with the caller, and at its time limit if the daemon does
    /// not report it.
    func run(within limit: Duration) async throws {
        let alarm = Task {
            // A little later than the daemon, which decides.
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
