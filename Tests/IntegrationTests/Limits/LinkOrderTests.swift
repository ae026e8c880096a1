import Testing
import XCallbackTesting

/// The order in which the functions of the release daemon are linked.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct LinkOrderTests {
    /// The linker ignores names that it does not know, such as those of functions that were renamed.
    @Test func nearlyAllNamesAreFunctionsOfTheProgram() throws {
        let directory = try TemporaryDirectory()
        let nm = try ChildProcess(
            ["/usr/bin/nm", "--defined-only", try ReleaseBuild.program("xcallbackd")],
            output: directory.path(of: "symbols"), error: directory.path(of: "complaints"))
        try #require(try nm.wait() == 0)
        let symbols = try directory.text(of: "symbols").split(separator: "\n")
        let defined = Set(symbols.compactMap { $0.split(separator: " ").last })
        let order = try textOfPackageFile("Sources/xcallbackd/link.order").split(separator: "\n")
        let unknown = order.filter { !defined.contains($0) }
        #expect(order.count > 1000)
        #expect(unknown.count * 50 <= order.count, "run 'make order': \(unknown.count) names of it are unknown")
    }
}
