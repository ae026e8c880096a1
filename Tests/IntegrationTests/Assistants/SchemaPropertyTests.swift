import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The schemas of tools match what the daemon accepts, as far as a schema can express it.
///
/// `VALUES=10000 swift test --filter SchemaPropertyTests` tries as many values of each kind for each type and its bounds.
@Suite(
    .blocking(minutes: 180),
    .enabled(if: PythonPackages.arePresent, "'make python-packages' fetches the Python packages"))
struct SchemaPropertyTests {
    @Test func whatASchemaSaysIsWhatTheDaemonDoes() throws {
        let count = getenv("VALUES").map { String(cString: $0) } ?? "20"
        let daemon = try RunningDaemon(try textOfPackageFile("Tests/Assistants/types.yaml"))
        let directory = try TemporaryDirectory()
        let script = "\(packageFolder)/Tests/Assistants/schemas.py"
        let run = try PythonPackages.run(
            ["-B", script, try RunningDaemon.program("xcallback"), daemon.socket, directory.path, count], in: directory,
            within: .seconds(10_000))
        #expect(run.status == 0, "\(run.output)")
    }
}
