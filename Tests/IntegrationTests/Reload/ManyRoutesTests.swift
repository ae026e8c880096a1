import Testing
import XCallbackTesting

@Suite(.blocking)
struct ManyRoutesTests {
    @Test(.timeLimit(.minutes(10)))
    func tenThousandRoutesInAHundredDropInsAreLoaded() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("schemes: [notes]\npolicies: [{ user: self }]\n", to: "config.yaml")
        for part in 0..<100 {
            let routes = (0..<100).map {
                "  - { route: /p\(part)/r\($0)/:id, input: { id: int }, respond: { id: '{id}' } }\n"
            }
            try directory.write("routes:\n" + routes.joined(), to: "routes.d/\(part).yaml")
        }
        let output = directory.path(of: "output")
        let check = try ChildProcess(
            [RunningDaemon.program("xcallbackd"), "--config", file, "--check"], environment: [], output: output,
            error: output)
        #expect(try check.wait() == 0)
        #expect(try directory.text(of: "output") == "valid: 10000 routes for notes in 101 files\n")
    }
}
