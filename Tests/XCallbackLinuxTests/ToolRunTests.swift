import Glibc
import Testing
import XCallbackLinux

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

    @Test func oneThatIsNotThereIsNotStarted() {
        #expect(ToolRun(asking: ["/nowhere/tool"]).ending == .notStarted("No such file or directory"))
    }
}
