import XCallbackConfiguration
package import XCallbackEventLoop

/// A program that is started so that it receives under a name (`start:`).
package struct Activation: Sendable {
    /// The program and its arguments.
    package let words: [[UInt8]]
    private let environment: [[UInt8]]
    private let stage: ProgramStage
    private let runner: any ProgramRunner

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
    }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - name: What it is expected to receive as.
    ///   - socket: Where it can connect.
    ///   - loop: The loop on which the caller runs.
    /// - Throws: ``SystemError`` or ``CallbackError`` if it cannot be started.
    package func start(toReceiveAs name: String, at socket: String, on loop: EventLoop) async throws {
        try await runner.start(PreparedProgram(command(toReceiveAs: name, at: socket), of: stage), on: loop)
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
