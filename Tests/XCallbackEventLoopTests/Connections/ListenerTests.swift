import Testing
import XCallbackEventLoop
import XCallbackTesting

struct ListenerTests {
    @Test func aSocketWhoseOwnerIsBusyIsInUse() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "socket")
        let owner = try BusySocket(path)
        #expect(throws: ListenerError.inUse(path)) { _ = try Listener(path: path, mode: 0o600) }
        #expect(directory.contains("socket"))
        withExtendedLifetime(owner) {}
    }
}
