import Testing
import XCallbackTesting

/// The pages that `Docs/Site/reference` writes.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct GeneratedPageTests {
    @Test func thePagesAgreeWithHelpSchemaAndInterface() throws {
        let directory = try TemporaryDirectory()
        let log = directory.path(of: "log")
        let pages = directory.path(of: "pages")
        let programs = try RunningDaemon.program("")
        let process = try ChildProcess(
            ["/usr/bin/python3", "\(packageFolder)/Docs/Site/reference", pages, programs],
            environment: ["PATH=/usr/bin:/bin"], output: log, error: log)
        let status = try process.wait()
        let errors = try directory.text(of: "log")
        try #require(status == 0, "\(errors)")
        for name in try namesInFolder(pages) {
            let isCurrent = try textOfFile("\(pages)/\(name)") == textOfPackageFile("Docs/Reference/\(name)")
            #expect(isCurrent, "Docs/Reference/\(name) is not current: run 'Docs/Site/reference Docs/Reference'")
        }
    }
}
