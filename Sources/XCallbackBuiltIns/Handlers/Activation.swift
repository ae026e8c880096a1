import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms

/// A program that is started so that it receives under a name (`start:`).
struct Activation: ReceiverActivation {
    /// The program and its arguments.
    let words: [[UInt8]]
    private let environment: [[UInt8]]
    private let stage: ProgramStage
    private let runner: any ProgramRunner
    /// Whether the route wants it to be the daemon's own child.
    let isOwnChild: Bool

    /// Decodes a program and its arguments.
    init?(_ node: Node, _ source: StageSource) {
        guard let program = Program(node, source) else { return nil }
        guard let words = program.literalArguments else {
            source.faults.report(
                "the program is started to receive, not for one request: it takes no placeholders", at: node.place)
            return nil
        }
        self.words = words
        environment = program.inheritedEnvironment
        stage = program.stage
        runner = program.runner
        isOwnChild = program.isOwnChild
    }

    func start(toReceiveAs name: String, for request: Request, at socket: String) async throws {
        let loop = try EventLoop.ofProgram()
        let program = PreparedProgram(
            command(toReceiveAs: name, at: socket), of: stage, for: request, isReceiver: true)
        try await runner.start(program, on: loop) { _ in }
    }

    /// The command that starts it.
    func command(toReceiveAs name: String, at socket: String) -> ChildCommand {
        var command = ChildCommand(
            arguments: words,
            environment: environment + [Array("XCALLBACK_NAME=\(name)".utf8), Array("XCALLBACK_SOCKET=\(socket)".utf8)])
        command.isDetached = true
        return command
    }
}
