import TestSupport
import Testing
import XCallbackTesting

/// Third-party clients of the Model Context Protocol, unchanged, with the bridge and the daemon.
@Suite(
    .blocking,
    .enabled(if: PythonPackages.arePresent, "'make python-packages' fetches the Python packages"))
struct AssistantPeerTests {
    private static let scripts = packageFolder + "/Tests/Assistants"

    /// The versions of the library, and the revision that each begins with.
    static let peers = [
        ("2.3.0", "2026-07-28"), ("2.3.0", "2025-11-25"), ("1.30.0", "2025-11-25"), ("1.9.4", "2025-03-26"),
        ("1.6.0", "2024-11-05"),
    ]

    @Test(arguments: peers)
    func aClientDoesAllOfIt(version: String, revision: String) throws {
        let python = version == "2.3.0" ? PythonPackages.python : PythonPackages.pythonWithHandshake
        let directory = try TemporaryDirectory()
        let programs = String(try RunningDaemon.program("xcallback").dropLast("/xcallback".count))
        let run = try PythonPackages.run(
            ["\(Self.scripts)/peer.py", directory.path, programs, version, revision], by: python,
            library: PythonPackages.earlierClient(version), in: directory)
        #expect(run.status == 0 && run.output.contains("all of it"), "\(run.output)")
        let check = try PythonPackages.run(
            ["\(Self.scripts)/transcript.py", directory.path], in: TemporaryDirectory())
        #expect(check.status == 0 && check.output.contains("messages"), "\(check.output)")
    }

    @Test func aConformanceTestOfOthersPasses() throws {
        let directory = try TemporaryDirectory()
        let daemon = try RunningDaemon(
            "schemes: [app]\nroutes: [{ route: \"app:/a/:id\", agent: true, respond: { id: \"{id}\" } }]")
        let bridge = "\(try RunningDaemon.program("xcallback")) mcp --socket \(daemon.socket)"
        let result = try PythonPackages.run(
            ["-m", "mcp_probe", "server", "--transport", "stdio", "--command", bridge], in: directory)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("PASS"), "\(result.output)")
    }

    /// Client and bridge run in a sandbox with the socket for assistants, and nothing else of the user.
    @Test func aSandboxWithTheSocketForAssistantsIsEnough() throws {
        let directory = try TemporaryDirectory()
        let daemon = try RunningDaemon(
            starting: """
                schemes: [app]
                routes:
                  - { route: "app:/offered", agent: true, respond: { from: "{@origin}" } }
                  - { route: app:/away, agent: true, redirect: "other:/there" }
                  - { route: app:/kept, exec: [touch, \(directory.path)/ran] }
                """, arguments: ["--agent-socket", directory.path(of: "agent/socket")], in: directory)
        try daemon.waitUntilReady()
        let xcallback = try RunningDaemon.program("xcallback")
        let sandbox = [
            "/usr/bin/bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc",
            "/proc",
            "--tmpfs", "/run", "--tmpfs", "/tmp", "--ro-bind", packageFolder, packageFolder,
            "--ro-bind", xcallback, xcallback, "--bind", directory.path(of: "agent"), "/run/xcallbackd",
            "--setenv", "XCALLBACK_SOCKET", "/run/xcallbackd/socket", "--setenv", "HOME", "/tmp",
        ]
        let (status, printed) = try ChildProcess.run(
            sandbox + [PythonPackages.python, "\(Self.scripts)/sandboxed.py", xcallback, daemon.socket],
            environment: ["PATH=/usr/bin:/bin"])
        #expect(status == 0 && printed.contains("all of it"), "\(printed)")
        #expect(!directory.contains("ran"))
    }
}
