import Glibc
import Testing
import XCallback
import XCallbackTesting

/// Two programs with the library that call each other.
struct CounterpartTests {
    private static let callCount = 2_000
    private static let configuration = """
        schemes: [ping, pong]
        limits: { requests: 2048 }
        routes:
          - { route: "ping:/:action", deliver: ping, wait: 60s, timeout: 8m }
          - { route: "pong:/:action", deliver: pong, wait: 60s, timeout: 8m }
        """

    private struct Report: Action {
        struct Output: Decodable {
            var rightCount: Int
            var faults: [String]
            var receivedCount: Int
            var distinctCount: Int
        }
    }

    private struct Program: App {
        let scheme: String
        let client: Client
        var opener: any Opener { client }
        var timeout: Duration { .seconds(500) }
    }

    @Test(.timeLimit(.minutes(10)))
    func thousandsOfCallsInBothDirectionsAreAnsweredOnceEach() async throws {
        let daemon = try RunningDaemon(Self.configuration)
        let programs = try [("ping", "pong"), ("pong", "ping")].map { name, other in
            try ChildProcess(
                [RunningDaemon.program("counterpart"), name, other, "\(Self.callCount)"],
                environment: ["XCALLBACK_SOCKET=\(daemon.socket)"], output: daemon.directory.path(of: name),
                error: daemon.directory.path(of: name))
        }
        let client = Client(socket: daemon.socket)
        let apps = ["ping", "pong"].map { Program(scheme: $0, client: client) }
        // A program reports once all its calls are answered.
        for app in apps {
            let report = try await app.run(Report())
            #expect(report.faults == [])
            #expect(report.rightCount == Self.callCount)
        }
        for app in apps {
            let report = try await app.run(Report())
            #expect(report.receivedCount == Self.callCount)
            #expect(report.distinctCount == Self.callCount)
        }
        for program in programs {
            program.send(signal: SIGTERM)
            try program.wait()
        }
        #expect(try daemon.stop() == 0)
    }
}
