import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// System calls that a signal interrupts: none of them means anything to the daemon, the command or a program.
@Suite(
    .blocking, .enabled(if: access("/usr/bin/strace", X_OK) == 0, "strace is not installed"))
struct InterruptedCallTests {
    /// Every second of these calls fails with EINTR, from a first one on.
    private static func tracer(_ calls: String, from first: Int = 2) -> [String] {
        ["/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(calls):error=EINTR:when=\(first)+2"]
    }

    private static let routes = """
          - { route: "run:/say/:text", exec: [/bin/echo, "{text}"], output: text }
          - { route: run:/read, exec: [/bin/sh, -c, "cat >/dev/null; echo read"], output: text }
          - { route: run:/fail, exec: [/bin/sh, -c, "echo wrong >&2; exit 3"] }
          - { route: run:/ping, respond: { pong: "1" } }
        """

    @Test(arguments: ["accept4", "recvmsg,recvfrom", "epoll_wait,epoll_pwait", "waitid,wait4"])
    func theDaemonGoesOn(calls: String) throws {
        let daemon = try RunningDaemon("schemes: [run]\nroutes:\n\(Self.routes)\n")
        let tracer = try ChildProcess(
            Self.tracer(calls) + ["-p", "\(daemon.process.id)"], error: daemon.directory.path(of: "strace"))
        try waitUntil("the daemon is traced") {
            try !textOfFile("/proc/\(daemon.process.id)/status").contains("TracerPid:\t0\n")
        }
        let client = try daemon.connect()
        for number in 0..<5 {
            expect(try client.ask("run:/ping"), equals: "xcallback://x-callback-url/success?pong=1")
            expect(try client.ask("run:/say/\(number)"), equals: result("\(number)"))
            expect(try daemon.connect().ask("run:/read?text=a"), equals: result("read"))
            expect(try client.ask("run:/fail")) { $0?.hasPrefix(failure(3)) == true }
        }
        try daemon.reload("schemes: [run]\nroutes:\n\(Self.routes.replacing("\"1\"", with: "\"2\""))\n")
        expect(try client.ask("run:/ping"), equals: "xcallback://x-callback-url/success?pong=2")
        // A tracer that left before would let the call fail in which it leaves.
        expect(try daemon.stop(), equals: 0, (try? daemon.log) ?? "")
        try tracer.wait()
        expect(try daemon.log) { !$0.contains("cannot accept") }
    }

    @Test(arguments: ["recvmsg,recvfrom", "sendmsg,sendto", "epoll_wait,epoll_pwait"], [1, 2])
    func theCommandGoesOn(calls: String, first: Int) throws {
        let daemon = try RunningDaemon("schemes: [run]\nroutes:\n\(Self.routes)\n")
        let command = try [RunningDaemon.program("xcallback"), "open", "--socket", daemon.socket, "run:/say/hello"]
        for _ in 0..<5 {
            // The tracer reports on standard error what it could not change.
            let shell = ["/bin/sh", "-c", "exec \"$@\" 2>/dev/null", "sh"]
            let result = try ChildProcess.run(shell + Self.tracer(calls, from: first) + command)
            #expect(result == (0, "result=hello\n"))
        }
    }
}
