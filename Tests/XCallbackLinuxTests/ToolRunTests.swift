import Glibc
import Testing
import XCallbackLinux
import XCallbackTesting

/// Tools of the system that are asked for something.
struct ToolRunTests {
    @Test func itsOutputAndItsStatusAreTaken() {
        let run = ToolRun(asking: ["/bin/sh", "-c", "echo a; exit 3"])
        #expect(run.ending == .exited(3))
        #expect(run.output == "a\n")
    }

    @Test func oneThatTakesTooLongIsKilled() {
        let run = ToolRun(asking: ["/bin/sh", "-c", "echo a; exec sleep 600"], limit: .seconds(5))
        #expect(run.ending == .running)
        #expect(run.output == "a\n")
    }

    @Test func whatIsWrittenBeyondTheLimitHoldsNothingUp() {
        let run = ToolRun(asking: ["/bin/cat", "/dev/zero"], limit: .seconds(60), atMost: 100_000)
        #expect(run.ending == .exited(128 + SIGPIPE))
        #expect((100_000..<200_000).contains(run.output.utf8.count))
    }

    @Test func oneThatGoesOnIsReapedWhenItEnds() throws {
        let directory = try TemporaryDirectory()
        let gate = try Gate(in: directory)
        let script = "echo $$ >'\(directory.path)/id'; read line <'\(gate.path)'"
        let run = ToolRun(starting: ["/bin/sh", "-c", script], limit: .milliseconds(1))
        #expect(run.ending == .running)
        try waitUntil("the program runs") { try directory.contains("id") && directory.text(of: "id").hasSuffix("\n") }
        let id = try directory.text(of: "id").dropLast()
        try gate.open()
        try waitUntil("the program is reaped") { access("/proc/\(id)", F_OK) != 0 }
    }

    @Test func oneInheritsNothingButItsStreams() throws {
        signal(SIGPIPE, SIG_IGN)
        let inherited = open("/dev/null", O_RDONLY)
        defer { close(inherited) }
        // The fourth is the folder that is listed.
        #expect(ToolRun(asking: ["ls", "/proc/self/fd"]).output == "0\n1\n2\n3\n")
        let ignored = ToolRun(asking: ["sh", "-c", "grep SigIgn: /proc/$$/status"]).output.suffix(17).dropLast()
        let mask = try #require(UInt64(ignored, radix: 16))
        #expect(mask & 1 << UInt64(SIGPIPE - 1) == 0)
    }

    @Test func oneThatIsNotThereIsNotStarted() {
        #expect(ToolRun(asking: ["/nowhere/tool"]).ending == .notStarted("No such file or directory"))
    }
}
