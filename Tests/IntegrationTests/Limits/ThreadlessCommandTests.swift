import Glibc
import Testing
import XCallbackTesting

/// Commands with few available threads.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "only root can become another user"))
struct ThreadlessCommandTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/ping", respond: { pong: 1 } }
          - { route: "app:/open", public: true, respond: {} }
        """
    private static let commands = [
        ["status"], ["reload"], ["routes"], ["monitor"], ["listen", "name", "--", "true"], ["subscribe", "topic"],
        ["doctor"], ["open", "app:/ping"], ["explain", "app:/ping"], ["handle", "app:/open"],
    ]

    @Test(arguments: commands)
    func aCommandWithoutThreadsEndsAtOnce(words: [String]) throws {
        let daemon = try RunningDaemon(Self.configuration)
        for count in [1, 4] {
            let (status, output) = try Self.run(words, threads: count, daemon)
            #expect(status == 71)
            #expect(output.hasPrefix("xcallback: the system allows no more threads"))
        }
    }

    @Test func aCommandWithEnoughThreadsWorks() throws {
        let daemon = try RunningDaemon(Self.configuration)
        for _ in 0..<2 { #expect(try Self.run(["status"], threads: 5, daemon).status == 0) }
    }

    private static func run(
        _ words: [String], threads count: Int, _ daemon: RunningDaemon
    ) throws -> (status: Int32, output: String) {
        chmod(daemon.directory.path, 0o755)
        chmod(daemon.socket, 0o666)
        let name = "output-\(UInt32.random(in: 0 ... .max))"
        let file = try daemon.directory.write("", to: name)
        let process = try ChildProcess(
            LimitedUser().words(threads: count) + [RunningDaemon.program("xcallback")] + words,
            environment: ["XCALLBACK_SOCKET=\(daemon.socket)", "HOME=/", "PATH=/usr/bin:/bin"], output: file,
            error: file)
        return (try process.wait(), try daemon.directory.text(of: name))
    }
}
