import XCallbackEventLoop
import XCallbackTesting

/// A loop that runs programs and serves nobody.
final class ProgramLoop: Sendable {
    let loop: EventLoop

    init() throws {
        loop = try EventLoop(label: "programs")
        loop.start()
    }

    deinit {
        let loop = loop
        Task { await loop.stop() }
    }

    /// Runs a program of `/bin/sh` with arguments from `$1` on.
    func run(
        _ script: String, _ arguments: [String] = [], input: String = "",
        output: ChildCommand.Output = .kept(limit: 1 << 20)
    ) async throws -> ChildResult {
        try await loop.run(Self.command(script, arguments, input: input, output: output))
    }

    static func command(
        _ script: String, _ arguments: [String] = [], input: String = "",
        output: ChildCommand.Output = .kept(limit: 1 << 20)
    ) -> ChildCommand {
        var command = ChildCommand(
            arguments: (["sh", "-c", script, "sh"] + arguments).map { Array($0.utf8) },
            environment: [Array("PATH=/usr/bin:/bin".utf8), Array("COLOUR=blue".utf8)], input: Array(input.utf8))
        command.output = output
        return command
    }
}

extension ChildResult {
    /// The output as text.
    var text: String { String(decoding: output, as: UTF8.self) }
    /// The last of standard error as text.
    var errorText: String { String(decoding: errors, as: UTF8.self) }
}

extension ChildCommand {
    /// The command of a program with arguments.
    init(_ words: [String]) {
        self.init(arguments: words.map { Array($0.utf8) }, environment: [Array("PATH=/usr/bin:/bin".utf8)])
        output = .kept(limit: 1 << 20)
    }
}
