import Dispatch
import Synchronization
import Testing
import XCallback
import XCallbackTesting

/// A served router, with a daemon that says what the test wants.
@Suite(.timeLimit(.minutes(10)))
struct ServingTests {
    /// A daemon that delivers three requests; the caller of the first leaves while its response is on the way.
    private final class Site: Sendable {
        let directory: TemporaryDirectory
        /// The IDs and outcomes of the responses.
        let responses: AsyncStream<String>
        let isSecondBegun = DispatchSemaphore(value: 0)
        private let server: SocketServer

        init(answeringFirst first: String) throws {
            directory = try TemporaryDirectory()
            let (responses, response) = AsyncStream<String>.makeStream()
            self.responses = responses
            let (isFirstThere, isFirstOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            server = try SocketServer(directory.path(of: "socket"), patience: 600) { [isSecondBegun] socket in
                var received: [UInt8] = []
                while true {
                    guard let end = received.firstIndex(of: 0) else {
                        guard try socket.receive(into: &received) else { return }
                        continue
                    }
                    let message = String(decoding: received[..<end], as: UTF8.self)
                    received.removeFirst(end + 1)
                    guard let id = message.firstMatch(of: #/"id":"(.)","outcome":"(\w+)"/#) else {
                        // Only the stream of the requests; the router is not retired.
                        guard message.contains("Receive") else { return }
                        try socket.send(Self.bytes(of: #"{"continues":true,"parameters":{}}"#, Self.delivered("1")))
                        isFirstThere.wait()
                        let ended = #"{"continues":true,"parameters":{"ended":"1"}}"#
                        try socket.send(Self.bytes(of: ended, Self.delivered("2")))
                        isFirstOver.wait()
                        try socket.send(Self.bytes(of: Self.delivered("3")))
                        continue
                    }
                    response.yield("\(id.1) \(id.2)")
                    guard id.1 == "1" else {
                        try socket.send(Self.bytes(of: "{}"))
                        continue
                    }
                    defer { isFirstOver.signal() }
                    isFirstThere.signal()
                    // Then the router knows that the first has ended.
                    isSecondBegun.wait()
                    try socket.send(Self.bytes(of: first))
                }
            }
        }

        private static func bytes(of messages: String...) -> [UInt8] { messages.flatMap { Array($0.utf8) + [0] } }

        private static func delivered(_ id: String) -> String {
            #"{"continues":true,"parameters":{"request":{"id":"\#(id)","url":"n:/a?k=\#(id)","route":"n:/a","#
                + #""action":"/a","query":"k=\#(id)","items":[{"name":"k","value":"\#(id)"}],"origin":"socket","#
                + #""peer":{"uid":1,"gid":2,"pid":3},"data":{},"callbacks":{},"limit":29.5}}}"#
        }
    }

    @Test(arguments: [
        "{}", #"{"error":"org.xcallback.Router.TooLate"}"#, #"{"error":"org.xcallback.Router.NoThread"}"#,
    ])
    func aCallerThatLeavesWhileItsAnswerIsSentChangesNothingForOthers(reply: String) async throws {
        let site = try Site(answeringFirst: reply)
        let router = try Router(scheme: "n") { router in
            router.route("/a") { (request: Request) in
                if request.parameters["k"] == "2" { site.isSecondBegun.signal() }
                // The handler of a cancelled task would give up here.
                if request.parameters["k"] == "3" { try await Task.sleep(for: .milliseconds(100)) }
                return .success([:])
            }
        }
        let client = Client(socket: site.directory.path(of: "socket"))
        let serving = Task { try await router.serve(as: "me", through: client) }
        defer { serving.cancel() }
        let responses = await site.responses.prefix(3).reduce(into: Set()) { $0.insert($1) }
        #expect(responses == ["1 success", "2 success", "3 success"])
    }

    @Test func itStopsAlthoughADaemonDoesNotRetireIt() async throws {
        let directory = try TemporaryDirectory()
        let (receivers, received) = AsyncStream<Void>.makeStream()
        let isRetired = DispatchSemaphore(value: 0)
        let count = Mutex(0)
        let daemon = try FakeDaemon(directory.path(of: "socket")) { _, message in
            if message.contains("Receive") {
                received.yield()
                // The connection is made only after the task is cancelled.
                isRetired.wait()
                return [#"{"continues":true,"parameters":{}}"#]
            }
            defer { isRetired.signal() }
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? ["{}"] : nil
        }
        let router = try Router(scheme: "n") { router in router.route("/a") {} }
        let client = Client(socket: directory.path(of: "socket"))
        let serving = Task { try await router.serve(as: "me", through: client) }
        for await _ in receivers { break }
        serving.cancel()
        try await withTimeout(.seconds(300)) { try await serving.value }
        withExtendedLifetime(daemon) {}
    }
}
