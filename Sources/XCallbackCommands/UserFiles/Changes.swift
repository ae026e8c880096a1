import ArgumentParser
import XCallbackConfiguration

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

    /// Takes all changes back after a failure, and prints what has become of them.
    ///
    /// - Parameter error: The failure.
    /// - Throws: `ExitCode` once the failure is printed, or `CancellationError`.
    mutating func takeBack(because error: any Error) async throws -> Never {
        let isChanged = !isEmpty
        let failures = await takeBack()
        let status = Self.report(error)
        for failure in failures { Terminal.printError("xcallback: could not undo a change: \(failure.message)") }
        if isChanged, failures.isEmpty { Terminal.printError("xcallback: all changes were undone") }
        guard let status else { throw error }
        throw ExitCode(status.rawValue)
    }

    /// Prints what is wrong.
    ///
    /// - Returns: The exit status; nil if the user has interrupted the command.
    private static func report(_ error: any Error) -> ExitStatus? {
        if let error = error as? ConfigurationError {
            Terminal.printError(error)
            return .configuration
        }
        guard let failure = Failure(error) else { return nil }
        Terminal.printError(failure)
        return failure.status
    }
}
