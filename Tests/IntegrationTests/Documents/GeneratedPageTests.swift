import TestSupport
import Testing
import XCallbackTesting

/// What `Docs/Site/reference` writes: pages, parts of pages, and a line of the schema.
@Suite(.blocking)
struct GeneratedPageTests {
    @Test func thePagesAgreeWithHelpInterfaceAndTypes() throws {
        let directory = try TemporaryDirectory()
        let pages = directory.path(of: "Docs/Reference")
        let programs = try RunningDaemon.program("")
        let result = try ChildProcess.run(
            ["/usr/bin/python3", "\(packageFolder)/Docs/Site/reference", pages, programs],
            environment: ["PATH=/usr/bin:/bin"])
        try #require(result.status == 0, "\(result.output)")
        let names = try ["Docs/Reference", "Docs/man", "config"].flatMap { folder in
            try namesInFolder(directory.path(of: folder)).map { "\(folder)/\($0)" }
        }
        #expect(names.count == 6)
        for name in names {
            let isCurrent = try directory.text(of: name) == textOfPackageFile(name)
            #expect(isCurrent, "\(name) is not current: run 'Docs/Site/reference Docs/Reference'")
        }
    }
}
