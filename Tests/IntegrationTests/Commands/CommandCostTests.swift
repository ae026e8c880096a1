import Testing
import XCallbackTesting

/// The costs of commands that people and programs wait for, as far as they do not depend on the clock.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10)))
struct CommandCostTests {
    private static let configuration = """
        schemes: [notes]
        routes:
          - { route: "notes:/create", input: { title: string }, respond: { id: "7" } }
          - { route: "notes:/news", publish: news }

        """

    /// The maximum number of instructions of a whole process outside the kernel, including the loader, in thousands.
    ///
    /// With ArgumentParser's reflection, Dispatch's threads and the earlier loader's work, 'open' cost 13,700.
    static let limits = [
        (["open", "notes:/create?title=Milk"], 820),
        (["open", "notes:/create", "--param", "title=Milk", "--value", "id"], 1220),
        (["call", "notes:/create?title=Milk", "--json"], 1060), (["publish", "news", "title=Milk"], 740),
        (["explain", "notes:/create?title=Milk"], 1830),
        (["---completion", "open", "--", "positional@0", "2", "9", "xcallback", "open", "notes:/cr"], 1190),
    ]

    @Test(arguments: limits)
    func aCommandStartsLikeASmallProgram(words: [String], limit: Int) throws {
        let daemon = try RunningDaemon(Self.configuration)
        let program = try ReleaseBuild.program("xcallback")
        let count = try CountingTool.instructions.count(
            running: [program] + words, in: daemon.directory, environment: ["XCALLBACK_SOCKET=\(daemon.socket)"])
        #expect(count <= limit * 1000, "\(words[0]): \(count) instructions")
    }
}
