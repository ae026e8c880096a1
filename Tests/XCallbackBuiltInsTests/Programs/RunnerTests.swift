import Logging
import Testing
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPrograms
import XCallbackRouter

/// What runs the programs of a route.
struct RunnerTests {
    /// A runner that only says what it would do.
    private struct NamedRunner: ProgramRunner {
        let manner: String?

        func run(
            _ program: Program, _ command: ChildCommand, for request: Request, _ host: any StageHost,
            on loop: isolated EventLoop, started: @escaping @Sendable () -> Void
        ) async throws -> ChildResult { throw NoProgram() }
    }

    private struct NoProgram: Error {}

    static let routes: [(String, [String])] = [
        ("exec: [\"true\"]", ["as usual"]),
        ("exec: [\"true\"]\n  runner: unit", ["in a unit"]),
        ("exec: [\"true\"]\n  runner: spawn", ["as a child of the daemon"]),
        ("policies: [{ exec: [\"true\"] }]\n  respond:\n  runner: unit", ["in a unit"]),
        ("middleware: [{ exec: [\"true\"] }]\n  exec: [\"true\"]\n  runner: unit", ["in a unit", "in a unit"]),
    ]

    @Test(arguments: routes)
    func aRouteSaysWhatRunsItsPrograms(route: String, manners: [String]) throws {
        let configuration = try RouterConfiguration(
            text: "schemes: [notes]\nroutes:\n- route: notes:/a\n  \(route)\n", name: "c.yaml",
            runners: ProgramRunners(usual: NamedRunner(manner: "as usual"), unit: NamedRunner(manner: "in a unit")),
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
        let explanation = configuration.pipeline.explain("notes:/a".utf8.span, from: Configured.peer, origin: .socket)
        let texts = try #require(explanation.hops.first).stages.map(\.plan.text).filter { $0.hasPrefix("would run ") }
        #expect(texts.map { $0.prefix { $0 != ";" } } == manners.map { "would run \($0)" })
    }
}
