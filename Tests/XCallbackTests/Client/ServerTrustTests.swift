import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

struct ServerTrustTests {
    static let servers: [(server: UInt32, service: UInt32?, isTrusted: Bool)] = [
        (1000, nil, true), (0, nil, true), (990, 990, true), (990, nil, false), (1001, 990, false),
    ]

    @Test(arguments: servers)
    func theCallerRootAndTheServiceAreTrusted(server: UInt32, service: UInt32?, isTrusted: Bool) {
        #expect(ServerTrust.isTrusted(server, caller: 1000, service: service) == isTrusted)
    }

    @Test func rootTrustsNoOtherUser() {
        #expect(!ServerTrust.isTrusted(1000, caller: 0, service: 990))
    }

    @Test(.blocking, .enabled(if: geteuid() == 0, "only root may become another user"))
    func nothingIsSentToTheServerOfAnotherUser() async throws {
        let server = try ForeignServer()
        let client = Client(socket: server.socket)
        let error = await #expect(throws: ClientError.self) {
            try await withTimeout(.seconds(60)) { try await client.open("n:/secret") }
        }
        #expect(error?.reason == .untrusted(userID: server.user.id))
        expect(try server.end(), equals: "")
    }

    /// Also a caller without a mapping has the number that stands for all others there.
    @Test(
        .blocking, .enabled(if: geteuid() == 0, "only root may become another user"),
        arguments: ["--map-root-user", "--map-current-user", "--user"])
    func aUserNamespaceTrustsNoUserThatItHides(option: String) throws {
        let server = try ForeignServer()
        chmod(server.socket, 0o666)
        let words = ["/usr/bin/unshare", "--user", option, try RunningDaemon.program("xcallback"), "open", "n:/secret"]
        let result = server.directory.path(of: "result")
        let process = try ChildProcess(words + ["--socket", server.socket], output: result, error: result)
        expect(try process.wait(), equals: 7)
        expect(try textOfFile(result)) { $0.contains("by a user that this container hides") }
        expect(try server.end(), equals: "")
    }
}
