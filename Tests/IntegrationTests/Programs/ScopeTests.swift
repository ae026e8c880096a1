import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// Programs that need a service manager, without one; those with one are tested on booted systemd.
@Suite(.timeLimit(.minutes(10)))
struct ScopeTests {
    private static let configuration = """
        schemes: [run]
        routes:
          - { route: run:/usual, exec: [echo, hello] }
          - { route: run:/unit, exec: [echo, hello], runner: unit }
          - { route: run:/unit/apart, exec: [touch, /dev/null], detach: true, runner: unit }
          - { route: run:/apart, exec: [sh, -c, ": >apart"], cwd: DIR, detach: true }
          - { route: run:/none, exec: [DIR/none], runner: unit }
        """

    /// Checks what a daemon answers whose service manager does not work.
    private static func check(path: String, in directory: TemporaryDirectory) throws {
        let daemon = try RunningDaemon(
            starting: configuration.replacing("DIR", with: directory.path), in: directory,
            environment: ["XDG_RUNTIME_DIR=/nowhere", "PATH=\(path)"])
        try daemon.waitUntilReady()
        let client = try daemon.connect()
        expect(try client.ask("run:/usual"), equals: result("hello"))
        for path in ["unit", "unit/apart"] {
            let answer = try #require(try client.ask("run:/\(path)"))
            #expect(answer.hasPrefix(failure(503)) && answer.contains("runner%3A%20unit"), "\(path): \(answer)")
        }
        expect(try client.ask("run:/none")) { $0?.hasPrefix(failure(500)) == true }
        expect(try client.ask("run:/apart")) { $0?.hasPrefix("xcallback://x-callback-url/success") == true }
        try daemon.ask("run:/usual", on: client) { directory.contains("apart") }
        try daemon.stop()
        expect(try daemon.log) { $0.contains("a detached program runs as a child of the daemon") }
    }

    @Test func withoutAServiceManagerOnlyScopesAreRefused() throws {
        try Self.check(path: "/usr/bin:/bin", in: TemporaryDirectory())
    }

    @Test func withoutSystemdTheSame() throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "programs/.kept")
        for name in ["echo", "touch", "sh"] { symlink("/bin/\(name)", directory.path(of: "programs/\(name)")) }
        try Self.check(path: directory.path(of: "programs"), in: directory)
    }

    /// The program stands in for one whose service manager does not respond.
    @Test func aServiceManagerThatHangsHoldsProgramsUpForAFewSeconds() throws {
        let directory = try TemporaryDirectory()
        let script = "#!/bin/sh\n[ \"$1\" != --version ] || { echo 'systemd 257 (257)'; exit; }\nexec sleep 600\n"
        chmod(try directory.write(script, to: "programs/systemd-run"), 0o755)
        try Self.check(path: "\(directory.path(of: "programs")):/usr/bin:/bin", in: directory)
    }
}
