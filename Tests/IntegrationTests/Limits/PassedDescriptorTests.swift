import Glibc
import TestSupport
import Testing
import XCallbackTesting
import XCallbackWire

/// Clients that pass descriptors whose last close is slow.
@Suite(.blocking)
struct PassedDescriptorTests {
    /// Whether the daemon reads the passed descriptor.
    enum Moment: String, CaseIterable {
        /// The daemon reads it.
        case read
        /// The client disconnects before that.
        case unread
    }

    /// Returns a configuration whose program lasts until a gate opens; meanwhile the daemon reads no more from the client.
    private static func configuration(_ directory: TemporaryDirectory) -> String {
        """
        schemes: [app]
        routes:
          - { route: "app:/ping", respond: { pong: 1 } }
          - { route: "app:/wait", exec: [sh, -c, 'touch "$0.begun"; read line <"$0"', \(directory.path(of: "end"))] }
        """
    }

    /// Passes a TCP socket with data that its peer does not read: its last close waits for a minute (SO_LINGER).
    private static let script = """
        import array, signal, socket, struct, sys
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        server.bind(('127.0.0.1', 0))
        server.listen(1)
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 60))
        slow.connect(server.getsockname())
        other = server.accept()[0]
        slow.setblocking(False)
        try:
            while True: slow.send(b'x' * 65536)
        except BlockingIOError: pass
        client = socket.socket(socket.AF_UNIX)
        client.connect(sys.argv[1])
        client.sendall(b'app:/wait\\n')
        open(sys.argv[3]).readline()
        rights = array.array('i', [slow.fileno()])
        try:
            client.sendmsg([b'app:/ping\\n'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
            result = 'passed'
            slow.close()
        except PermissionError:
            result = 'refused'
        if sys.argv[2] == 'unread': client.close()
        print(result, flush=True)
        signal.pause()
        """

    /// Whether the kernel can reject descriptors (`SO_PASSRIGHTS`, since Linux 6.16).
    private static let kernelRefuses: Bool = {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        return getsockopt(socket, SOL_SOCKET, 83, &value, &size) == 0
    }()

    /// Lets a client pass a descriptor, and expects that another client gets its answers meanwhile.
    private static func pass(_ moment: Moment, to daemon: RunningDaemon, expecting result: String) throws
        -> ChildProcess
    {
        let output = daemon.directory.path(of: "output")
        let (go, end) = (try Gate(in: daemon.directory, "go"), try Gate(in: daemon.directory, "end"))
        let path = try daemon.directory.write(script, to: "pass.py")
        let other = try daemon.connect()
        expect(try other.ask("app:/ping"), equals: pong)
        let client = try ChildProcess(
            ["/usr/bin/python3", path, daemon.socket, moment.rawValue, go.path], output: output)
        // A program that is being started has a copy of each descriptor.
        try waitUntil("the program runs") { daemon.directory.contains("end.begun") }
        try go.open()
        try waitUntil("the output is \(result)") { (try? textOfFile(output)) == "\(result)\n" }
        if moment == .read {
            try end.open()
            try waitUntil("the request has ended") { try RouterClient(daemon.socket).used("requests") == 0 }
        }
        let start = ContinuousClock.now
        for _ in 0..<10 { expect(try daemon.connect().ask("app:/ping"), equals: pong) }
        expect(try other.ask("app:/ping"), equals: pong)
        #expect(ContinuousClock.now - start < .seconds(20))
        return client
    }

    private static let pong = "xcallback://x-callback-url/success?pong=1"

    /// The kernel refuses them if it can; else they are closed beside the loop, as before Linux 6.16.
    @Test(arguments: Moment.allCases, [true, false])
    func theyHoldNobodyUp(moment: Moment, kernelMayRefuse: Bool) throws {
        let directory = try TemporaryDirectory()
        let tracer = [
            "/usr/bin/strace", "-f", "--seccomp-bpf", "-e", "trace=setsockopt", "-e",
            "inject=setsockopt:error=ENOPROTOOPT", "-o", directory.path(of: "trace"),
        ]
        let daemon = try RunningDaemon(
            starting: Self.configuration(directory), in: directory, under: kernelMayRefuse ? [] : tracer)
        try daemon.waitUntilReady()
        let isRefused = kernelMayRefuse && Self.kernelRefuses
        let client = try Self.pass(moment, to: daemon, expecting: isRefused ? "refused" : "passed")
        #expect(client.isRunning)
        if kernelMayRefuse { return }
        // A descriptor counts until it is closed, in addition to the querying connection.
        #expect(try RouterClient(daemon.socket).used("connections") >= 2)
        // The tracer does not pass signals on.
        for id in try daemon.state.children { kill(id, SIGTERM) }
        expect(try daemon.process.wait(), equals: 0)
    }
}
