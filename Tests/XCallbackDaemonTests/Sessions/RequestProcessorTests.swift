import Logging
import Testing
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackRouter
import XCallbackURL

@testable import XCallbackDaemon

struct RequestProcessorTests {
    /// A handler that does not wait, and fails.
    private struct Failing: Handler {
        func handle(_ request: Request, _ host: any StageHost) -> Response {
            host.note(cause: "no milk", of: request)
            return .error(.internalFailure)
        }
    }

    @Test func aStageThatDoesNotWaitCanNameTheCause() throws {
        let route = Route(
            scheme: "a", pattern: try RoutePattern("/"), chain: Chain(.init(handler: .immediate(Failing()))))
        let schemes = [SchemeSettings("a")]
        let pipeline = try Pipeline(schemes: schemes, routes: [route], callbackRules: CallbackRules(schemes))
        try EventLoop(label: "test").sync { loop in
            let host = DaemonHost(ServiceLog(Logger(label: "test")), on: loop)
            let processor = RequestProcessor(RouterConfiguration(pipeline: pipeline), host)
            let opening = processor.open(
                "a:/".utf8.span, as: nil, from: Peer(userID: 0, groupID: 0, processID: 1), origin: .socket, at: 0,
                by: nil, named: nil, hasSecrets: false)
            var cause: String?
            if case .ended(let answer) = consume opening {
                cause = processor.reply(answer, waited: nil, in: nil, on: loop).cause
            }
            #expect(cause == "no milk")
        }
    }
}
