import Dispatch
import Testing
import XCallbackTesting

struct SocketServerTests {
    @Test(.timeLimit(.minutes(10)))
    func serversThatWaitTakeNoThreadFromOthers() throws {
        let directory = try TemporaryDirectory()
        let servers = try (0..<64).map { number in try SocketServer("\(directory.path)/\(number)") { _ in } }
        let ran = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { @Sendable in ran.signal() }
        #expect(ran.wait(timeout: .now() + 60) == .success)
        withExtendedLifetime(servers) {}
    }
}
