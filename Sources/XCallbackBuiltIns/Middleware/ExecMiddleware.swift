import Logging
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

/// Lets a program change each request: `exec: [tidy]`.
///
/// The program reads the request as JSON and writes a change (``RequestChange``). A nonzero status ends the request, as
/// with a handler. The input is not decoded yet: all parameters are texts, and declared parameters can be absent.
struct ExecMiddleware: AsyncMiddleware, ConfiguredStage, ProgramOwner {
    let program: Program
    private let answer: ProgramAnswer
    private let maximumParameters: Int

    init?(_ source: StageSource) {
        guard let program = Program(source.node, source, for: .output, readsInput: false) else { return nil }
        self.program = program
        answer = ProgramAnswer(source, isDetached: false)
        maximumParameters = source.surroundings.limits.parameters
    }

    var facts: StageFacts { StageFacts { $0.runsProgram = true } }

    func receive(_ request: inout Request) async -> MiddlewareResult {
        let loop = EventLoop.current()
        do {
            let result = try await program.run(for: request)
            guard result.ending == .exited(status: 0), !result.exceededOutput else {
                let response = try answer.response(to: result) {
                    program.logEnd(result, errors: $0, isFailure: $1, for: request, on: loop)
                }
                return .answer(response)
            }
            program.logEnd(result, for: request, on: loop)
            let change = try RequestChange(
                parsing: result.output, as: request.url.syntax, maximumParameters: maximumParameters)
            return change.apply(to: &request)
        } catch let failure as ProgramFailure {
            // The daemon itself ends the program after a timeout, or after the client has disconnected.
            if !Task.isCancelled {
                program.log.failure(
                    "middleware failed", ["error": "\(failure)"], cause: "\(failure)", for: request, on: loop)
            }
        } catch let error as CallbackError {
            return .answer(.error(error))
        } catch {
            // A cancelled request gets no answer.
        }
        return .answer(.error(CallbackError(.internalFailure, "Middleware 'exec' failed.")))
    }

    func plan(for request: Request) -> StagePlan { program.plan(for: request, "its output can change the request") }
}
