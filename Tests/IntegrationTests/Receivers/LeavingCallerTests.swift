import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// Callers that hang up at any moment, and what others get from the application that answers them.
@Suite(.timeLimit(.minutes(10)))
struct LeavingCallerTests {
    private static let configuration = """
        schemes: [n]
        routes: [{ route: n:/echo, deliver: app, wait: 10m, timeout: 1h, input: { v: string } }]
        """

    /// Callers that hang up after a moment, or after some bytes of their answer.
    private static func hangUp(_ count: Int, on socket: String, _ numbers: inout SeededGenerator) throws {
        for number in 0..<count {
            let caller = try ByteSocket.connect(to: socket, patience: 600)
            try caller.send(Array("n:/echo?v=gone-\(number)&x-success=n:/done\n".utf8))
            if Bool.random(using: &numbers) {
                var byte: UInt8 = 0
                for _ in 0..<Int.random(in: 1...20, using: &numbers) {
                    _ = try TestFailure.check("recv", Int32(recv(caller.descriptor, &byte, 1, 0)))
                }
            } else {
                usleep(.random(in: 0...1000, using: &numbers))
            }
        }
    }

    /// Hangs up from several threads, while others stay for their answers.
    private static func check(_ socket: String, leaving count: Int, staying other: Int) async throws {
        try await withThrowingTaskGroup { group in
            for seed in 0..<4 {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        runOnThread {
                            var numbers = SeededGenerator(seed: UInt64(seed))
                            continuation.resume(with: Result { try hangUp(count / 4, on: socket, &numbers) })
                        }
                    }
                }
            }
            group.addTask {
                let client = Client(socket: socket)
                for number in 0..<other {
                    let response = try await client.open("n:/echo?v=\(number)").response
                    try #require(response == .success(["result": "\(number)"]))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func theLibraryAnswersThoseWhoStay() async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let router = try Router(scheme: "n") { router in router.route("/echo") { (v: [String: String]) in v["v"] } }
        let client = Client(socket: daemon.socket)
        let serving = Task { try await router.serve(as: "app", through: client) }
        try await Self.check(daemon.socket, leaving: 2_000, staying: 500)
        for _ in 0..<50 {
            await withTaskGroup { group in
                for _ in 0..<20 { group.addTask { _ = try? await client.open("n:/echo?v=gone") } }
                await group.next()
                group.cancelAll()
            }
        }
        expect(try await client.open("n:/echo?v=here").response, equals: .success(["result": "here"]))
        serving.cancel()
        try await serving.value
        expect(try daemon.stop(), equals: 0)
    }

    @Test(arguments: [1, 4])
    func listenAnswersThoseWhoStay(parallel: Int) async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let errors = daemon.directory.path(of: "errors")
        let listener = try ChildProcess(
            [
                RunningDaemon.program("xcallback"), "listen", "app", "--parallel", "\(parallel)", "--", "/bin/sh", "-c",
                "printf %s \"$XCALLBACK_PARAM_V\"",
            ], environment: ["XCALLBACK_SOCKET=\(daemon.socket)"], output: "/dev/null", error: errors)
        try await Self.check(daemon.socket, leaving: 400, staying: 100)
        // Each program is reaped.
        try await suspendUntil("no program is left") { try ProcessState(of: listener.id).children.isEmpty }
        listener.send(signal: SIGTERM)
        expect(try listener.wait(), equals: 128 + SIGTERM)
    }
}
