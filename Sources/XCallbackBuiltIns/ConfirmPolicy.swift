import Logging
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL

/// Lets a program ask somebody: `confirm: [zenity, --question, "--text=Delete {id}?"]`.
///
/// Status 0 is a yes, 1 is a no and cancels the request, anything else is an error. While it asks, the time of the
/// request stands still; the question has a time of its own (`confirm: { exec: […], timeout: 30s }`).
struct ConfirmPolicy: AwaitedPolicy {
    /// How long a question may stand if the configuration says nothing.
    private static let usualLimit = Duration.seconds(120)

    let limit: Duration?
    private let program: Program
    private let log: ProgramLog

    init?(_ source: StageSource) {
        log = ProgramLog(source)
        if let node = source.node, case .mapping = node.content {
            guard let reader = MappingReader(node, of: "a 'confirm' policy", faults: source.faults) else { return nil }
            let timeout = reader.duration("timeout", in: .milliseconds(1)...Duration.seconds(86_400))
            let arguments = reader.requiredNode("exec")
            reader.finish()
            guard let arguments, let program = Program(arguments, source) else { return nil }
            self.program = program
            limit = timeout ?? Self.usualLimit
        } else {
            guard let program = Program(source.node, source) else { return nil }
            self.program = program
            limit = Self.usualLimit
        }
    }

    func verify(_ request: Request) async -> Response? {
        do {
            let result = try await program.run(for: request, keepsOutput: false)
            var errors = result.errors[...]
            defer { log.errors(errors, isFailure: false) }
            switch result.ending {
            case .exited(status: 0): return nil
            case .exited(status: 1): return .cancel
            case .exited(let status):
                if let error = CallbackError(takingLastLineOf: &errors) { return .error(error) }
                return failure("the program ended with status \(status)")
            case .killed(let signal): return failure("signal \(signal) ended the program")
            }
        } catch {
            // Of what is cancelled nobody hears.
            return .error(error as? CallbackError ?? .failure(of: "confirm"))
        }
    }

    private func failure(_ reason: String) -> Response {
        log.failure("a policy failed", ["policy": "confirm", "error": "\(reason)"])
        return .error(.failure(of: "confirm"))
    }
}
