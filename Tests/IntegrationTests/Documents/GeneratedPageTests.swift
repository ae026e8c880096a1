import TestSupport
import Testing
import XCallbackTesting

/// The page that `Docs/Site/reference` writes, and the manual pages whose options it writes.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct GeneratedPageTests {
    @Test func thePagesAgreeWithHelpAndInterface() throws {
        let directory = try TemporaryDirectory()
        let log = directory.path(of: "log")
        let pages = directory.path(of: "Reference")
        let programs = try RunningDaemon.program("")
        let process = try ChildProcess(
            ["/usr/bin/python3", "\(packageFolder)/Docs/Site/reference", pages, programs],
            environment: ["PATH=/usr/bin:/bin"], output: log, error: log)
        let status = try process.wait()
        let errors = try directory.text(of: "log")
        try #require(status == 0, "\(errors)")
        let names = try ["Reference", "man"].flatMap { folder in
            try namesInFolder(directory.path(of: folder)).map { "\(folder)/\($0)" }
        }
        #expect(names.count == 3)
        for name in names {
            let isCurrent = try directory.text(of: name) == textOfPackageFile("Docs/\(name)")
            #expect(isCurrent, "Docs/\(name) is not current: run 'Docs/Site/reference Docs/Reference'")
        }
    }
}
