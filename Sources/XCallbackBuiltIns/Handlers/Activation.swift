import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPipeline
import XCallbackPrograms

/// A program that is started to receive under a name (`start:`).
struct Activation: ReceiverActivation {
    private let literal: ChildCommand
    private let stage: ProgramStage
    private let runner: any ProgramRunner
    /// Whether the route requires the program to be the daemon's own child.
    let isOwnChild: Bool

    /// Decodes a program and its arguments.
    init?(_ node: Node, _ source: StageSource) {
        guard let program = Program(node, source) else { return nil }
        guard let command = program.literalCommand else {
            source.faults.report(
                "placeholders are not available: the program starts to receive requests, not for a single one",
                at: node.place)
            return nil
        }
        literal = command
        stage = program.stage
        runner = program.runner
        isOwnChild = program.isOwnChild
    }

    /// The program and its arguments.
    var words: [[UInt8]] { literal.arguments }

    func start(toReceiveAs name: String, for request: Request, at socket: String) async throws {
        let loop = try EventLoop.ofProgram()
        let program = PreparedProgram(
            command(toReceiveAs: name, at: socket), of: stage, for: request, isReceiver: true)
        do {
            try await runner.start(program, on: loop) { _ in }
        } catch let error as SystemError {
            throw ProgramFailure(program.command.cause(of: error))
        }
    }

    /// Returns the command that starts the program.
    func command(toReceiveAs name: String, at socket: String) -> ChildCommand {
        var command = literal
        command.environment += [Array("XCALLBACK_NAME=\(name)".utf8), Array("XCALLBACK_SOCKET=\(socket)".utf8)]
        command.isDetached = true
        return command
    }
}
