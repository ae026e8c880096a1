/// What a command has changed so far, and how each change is taken back.
struct Changes: Sendable {
    private var takingBack: [@Sendable () async throws -> Void] = []

    /// Whether nothing was changed.
    var isEmpty: Bool { takingBack.isEmpty }

    /// Notes a change that was made.
    ///
    /// - Parameter takeBack: Takes it back; it throws ``Failure`` or `ClientError`.
    mutating func note(_ takeBack: @escaping @Sendable () async throws -> Void) {
        takingBack.append(takeBack)
    }

    /// Notes what is done once all other changes are taken back.
    mutating func noteForTheEnd(_ step: @escaping @Sendable () async throws -> Void) {
        takingBack.insert(step, at: 0)
    }

    /// Takes all changes back, the last one first, also in a task that is cancelled.
    ///
    /// - Returns: Why some could not be taken back.
    mutating func takeBack() async -> [Failure] {
        let steps = takingBack
        takingBack = []
        return await Task {
            var failures: [Failure] = []
            for step in steps.reversed() {
                do {
                    try await step()
                } catch {
                    failures.append(Failure(error) ?? Failure(.errorAnswer, "\(error)"))
                }
            }
            return failures
        }.value
    }
}
