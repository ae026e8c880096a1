import Logging
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Lets a program change each request: `exec: [tidy]`.
///
/// The program reads the request as JSON and writes a change (``RequestChange``). A nonzero status ends the request, as
/// with a handler. The input is not decoded yet: all parameters are texts, and declared parameters can be absent.
struct ExecMiddleware: HostedMiddleware, ConfiguredStage, ProgramOwner {
    private let program: Program
    private let answer: ProgramAnswer
    private let maximumParameters: Int

    init?(_ source: StageSource) {
        guard let program = Program(source.node, source, for: .output, readsInput: false) else { return nil }
        self.program = program
        answer = ProgramAnswer(source, isDetached: false)
        maximumParameters = source.context.limits.parameters
    }

    var ownProgram: Program? { program }

    var facts: StageFacts { StageFacts { $0.runsProgram = true } }

    func receive(_ request: inout Request, _ host: any StageHost) async -> MiddlewareResult {
        do {
            let result = try await program.run(for: request, host)
            guard result.ending == .exited(status: 0), !result.exceededOutput else {
                let response = try answer.response(to: result) {
                    program.logEnd(result, errors: $0, isFailure: $1, for: request, host)
                }
                return .answer(response)
            }
            program.logEnd(result, for: request, host)
            let change = try RequestChange(
                parsing: result.output, as: request.url.syntax, maximumParameters: maximumParameters)
            return change.apply(to: &request)
        } catch let failure as ProgramFailure {
            // The daemon itself ends the program after a timeout, or after the client has disconnected.
            if !Task.isCancelled {
                program.log.failure(
                    "middleware failed", ["error": "\(failure)"], cause: "\(failure)", for: request, host)
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

/// A program's change to a request: other parameters, other data, or an answer.
///
/// It is written as an object with the optional members `parameters`, `data`, and `answer`. Other members are ignored,
/// so that a program can write back the request that it read, with its changes.
struct RequestChange {
    private let parameters: QueryItems?
    private let data: [JSONValue.Member]?
    private let answer: QueryItems?

    /// Reads a change; an empty text changes nothing.
    ///
    /// - Parameters:
    ///   - bytes: The output of the program.
    ///   - syntax: The syntax of the request's URL.
    ///   - maximumParameters: The maximum number of parameters of the request.
    /// - Throws: ``ProgramFailure`` if the output is invalid.
    init(parsing bytes: [UInt8], as syntax: URLSyntax, maximumParameters: Int) throws(ProgramFailure) {
        let isBlank = bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        let value: JSONValue = isBlank ? [:] : try ProgramOutput.object(in: bytes)
        parameters = try value["parameters"].map { parameters throws(ProgramFailure) in
            try Self.parameters(of: try Self.members(of: parameters, "parameters"), as: syntax)
        }
        if let parameters, parameters.count > maximumParameters {
            throw ProgramFailure("it makes more than \(maximumParameters) parameters (limits: parameters)")
        }
        data = try value["data"].map { data throws(ProgramFailure) in try Self.members(of: data, "data") }
        answer = try value["answer"].map { answer throws(ProgramFailure) in
            try ProgramOutput.items(of: try Self.members(of: answer, "answer"))
        }
    }

    /// Applies the change to a request.
    ///
    /// - Returns: The next step of the execution.
    func apply(to request: inout Request) -> MiddlewareResult {
        if let answer { return .answer(.success(answer)) }
        if let parameters { request.parameters.replace(with: Array(parameters)) }
        if let data { request.data = Dictionary(data.map { ($0.name, $0.value) }) { first, _ in first } }
        return .proceed
    }

    private static func members(
        of value: JSONValue, _ name: String
    ) throws(ProgramFailure) -> [JSONValue.Member] {
        guard case .object(let members) = value else { throw ProgramFailure("its \(name.quoted) is not an object") }
        return members
    }

    private static func parameters(
        of members: [JSONValue.Member], as syntax: URLSyntax
    ) throws(ProgramFailure) -> QueryItems {
        let items = try ProgramOutput.items(of: members)
        guard items.hasReservedName else { return items }
        let reserved = items.first { item in
            item.name.isEmpty && item.value == nil || syntax == .callback && isProtocolName(item.name.utf8.span)
        }
        if let reserved { throw ProgramFailure("no parameter can be called \(reserved.name.quoted)") }
        return items
    }
}
