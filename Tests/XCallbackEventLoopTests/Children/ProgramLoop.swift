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

    /// Runs a script of `/bin/sh`.
    func run(_ script: String, keeping limit: Int = 1 << 20) async throws -> ChildResult {
        var command = ChildCommand(["sh", "-c", script])
        command.output = .kept(limit: limit)
        return try await loop.run(command)
    }
}

extension ChildResult {
    /// The output as text.
    var text: String { String(decoding: output, as: UTF8.self) }
}

extension ChildCommand {
    /// The command of a program with arguments.
    init(_ words: [String]) {
        self.init(arguments: words.map { Array($0.utf8) }, environment: [Array("PATH=/usr/bin:/bin".utf8)])
        output = .kept(limit: 1 << 20)
    }
}
