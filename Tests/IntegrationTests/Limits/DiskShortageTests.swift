import Glibc
import Testing
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// A daemon without free disk space.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct DiskShortageTests {
    private static let configuration = """
        schemes: [app]
        routes:
          - { route: "app:/ping", respond: { pong: 1 } }
          - { route: "app:/run", exec: [sh, -c, "echo complaint >&2; echo hello"] }
        """
    private static let pong = "xcallback://x-callback-url/success?pong=1"

    /// A disk of 64 KiB, which is removed with its contents.
    private final class SmallDisk {
        let path: String

        init(at path: String) throws {
            self.path = path
            _ = try TestFailure.check("mkdir", mkdir(path, 0o700))
            _ = try TestFailure.check("mount", mount("small", path, "tmpfs", 0, "size=64k"))
        }

        deinit { umount2(path, Int32(MNT_DETACH)) }

        func fill() throws {
            let file = try TestFailure.check("open", open("\(path)/full", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
            let page = [UInt8](repeating: 0, count: 4096)
            while write(file, page, page.count) > 0 {}
            close(file)
        }

        func empty() { unlink("\(path)/full") }
    }

    private static func expectLife(of daemon: RunningDaemon) throws {
        let client = try daemon.connect()
        for _ in 0..<100 { #expect(try client.ask("app:/nowhere")?.contains("errorCode=404") == true) }
        #expect(try client.ask("app:/run") == "xcallback://x-callback-url/success?result=hello")
        #expect(try daemon.reload(configuration).contains("STATUS=Serving 2 routes"))
        #expect(try client.ask("app:/ping") == pong)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount a file system"))
    func aLogOnAFullDiskIsInTheWayOfNothing() throws {
        let directory = try TemporaryDirectory()
        let disk = try SmallDisk(at: directory.path(of: "disk"))
        let daemon = try RunningDaemon(
            starting: Self.configuration, in: directory, preparation: "exec 2>>'\(disk.path)/log'")
        try daemon.waitUntilReady()
        // The manager gets the readiness first, and then the log; an answer follows both.
        _ = try daemon.connect().ask("app:/ping")
        try disk.fill()
        try Self.expectLife(of: daemon)
        // The last page of the log has room for some lines.
        let client = try daemon.connect()
        for _ in 0..<40 { #expect(try client.ask("app:/run")?.hasSuffix("hello") == true) }
        disk.empty()
        #expect(try client.ask("app:/run")?.hasSuffix("hello") == true)
        #expect(try daemon.stop() == 0)
        let log = try directory.text(of: "disk/log")
        #expect(log.contains("ready"))
        // Lines written once there is room again report the lost ones.
        #expect(log.contains(" log lines were lost: standard error accepted no more\n"))
        for line in log.split(separator: "\n") {
            #expect(line.hasPrefix("20"), "no line begins in the middle of another")
            // A partly written line may end within its time.
            #expect(line.split(separator: "Z ").count <= 2, "\(line)")
        }
    }

    @Test func aLogThatTakesNothingIsInTheWayOfNothing() throws {
        let daemon = try RunningDaemon(Self.configuration, preparation: "exec 2>/dev/full")
        try Self.expectLife(of: daemon)
        #expect(try daemon.stop() == 0)
    }

    @Test(arguments: [true, false])
    func aLogThatNobodyReadsIsInTheWayOfNothing(hasReader: Bool) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "pipe")
        _ = try TestFailure.check("mkfifo", mkfifo(path, 0o600))
        let reader = try TestFailure.check("open", open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        let daemon = try RunningDaemon(starting: Self.configuration, in: directory, preparation: "exec 2>'\(path)'")
        try daemon.waitUntilReady()
        if hasReader {
            let writer = try TestFailure.check("open", open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC))
            for size in [4096, 1] {
                let bytes = [UInt8](repeating: 0, count: size)
                while write(writer, bytes, size) > 0 {}
            }
            close(writer)
        } else {
            close(reader)
        }
        try Self.expectLife(of: daemon)
        #expect(try daemon.stop() == 0)
        if hasReader { close(reader) }
    }
}
