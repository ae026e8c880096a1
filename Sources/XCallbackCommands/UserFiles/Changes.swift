import ArgumentParser
import XCallbackConfiguration

/// The changes of a command so far, with their undo steps.
struct Changes: Sendable {
    private var takingBack: [@Sendable () async throws -> Void] = []

    /// Whether there are no changes.
    var isEmpty: Bool { takingBack.isEmpty }

    /// Records a completed change.
    ///
    /// - Parameter takeBack: Undoes the change; throws ``Failure`` or `ClientError`.
    mutating func note(_ takeBack: @escaping @Sendable () async throws -> Void) {
        takingBack.append(takeBack)
    }

    /// Records a step to run after all changes are undone.
    mutating func noteForTheEnd(_ step: @escaping @Sendable () async throws -> Void) {
        takingBack.insert(step, at: 0)
    }

    /// Undoes all changes, the last one first, even in a cancelled task.
    ///
    /// - Returns: The failures of changes that could not be undone.
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

    /// Undoes all changes after a failure, and prints the result.
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

    /// Prints an error.
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
