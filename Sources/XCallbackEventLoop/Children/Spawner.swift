import Glibc
import Synchronization
import XCallbackLinux

/// Starts programs, one at a time.
struct Spawner: Sendable {
    /// Starting a program blocks until it runs, which takes long on a busy machine.
    private let queue = WorkQueue()

    /// Starts a program on a queue of its own.
    ///
    /// - Parameters:
    ///   - plan: The program.
    ///   - chance: The start's chance: if it is already claimed, the program is not started.
    /// - Returns: The process or the error; nil if the program was not started.
    func start(_ plan: SpawnPlan, _ chance: SpawnChance) async -> Result<SpawnedProcess, SystemError>? {
        do throws(SystemError) {
            return try await queue.run {
                chance.take() ? Result { () throws(SystemError) in try plan.start() } : nil
            }
        } catch {
            return chance.take() ? .failure(error) : nil
        }
    }

    /// Waits until the start in progress is complete.
    func finish() { queue.finish(within: .seconds(2)) }
}

/// The chance of a program to start: claimed by the spawner or by the code that gives the program up.
final class SpawnChance: Sendable {
    private let isTaken = Atomic(false)

    /// Claims the chance.
    ///
    /// - Returns: Whether it was still available.
    func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}

/// The parameters of a start.
struct SpawnPlan: Sendable {
    let command: ChildCommand
    /// The standard streams, open until the start is complete; -1 if discarded.
    let streams: (input: Int32, output: Int32, errors: Int32)
    /// The program's limit of descriptors.
    let descriptorLimit: rlim_t

    /// Starts the program, and returns once it runs.
    func start() throws(SystemError) -> SpawnedProcess {
        try SpawnedProcess(
            command.arguments, environment: command.environment, in: command.folder, streams: streams,
            group: command.isDetached ? .ownSession : .own, descriptorLimit: descriptorLimit)
    }
}

/// Returns the limit of descriptors of this process.
func descriptorLimit() -> rlimit {
    var limit = rlimit()
    // Cannot fail: the arguments are valid.
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit
}
