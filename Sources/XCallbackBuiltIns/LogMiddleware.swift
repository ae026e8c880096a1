import Logging
import XCallbackPipeline
import XCallbackURL

/// Writes a line for each request: errors at `info`, everything else at `debug`.
///
/// A line names the route's pattern and never what the request holds.
struct LogMiddleware: Middleware {
    private let logger: Logger
    private let logsAll: Bool
    private let logsErrors: Bool

    var usesParameters: Bool { false }

    init?(_ source: StageSource) {
        source.refuseNode()
        logger = source.surroundings.logger
        logsAll = logger.logLevel <= .debug
        logsErrors = logger.logLevel <= .info
    }

    func receive(_ request: inout Request, _ state: inout PipelineState) -> Step { .proceed }

    func finish(_ request: Request, _ response: inout Response, _ state: inout PipelineState) {
        if case .error(let error) = response {
            guard logsErrors else { return }
            var metadata = metadata(of: request)
            metadata["error.code"] = "\(error.code.rawValue)"
            // What is wrong with a parameter may name one that only the client knows.
            if error.code != .badParameter { metadata["error.message"] = "\(error.message)" }
            logger.info("request failed", metadata: metadata)
        } else if logsAll {
            logger.debug("\(response.outcome)", metadata: metadata(of: request))
        }
    }

    private func metadata(of request: Request) -> Logger.Metadata {
        [
            "route.pattern": "\(request.route)", "request.origin": "\(request.origin.rawValue)",
            "peer.uid": "\(request.peer.userID)", "peer.pid": "\(request.peer.processID)",
        ]
    }
}

extension LogMiddleware: RehearsedStage {
    /// Writes nothing.
    func rehearse(_ request: inout Request, _ state: inout PipelineState) -> Rehearsal {
        Rehearsal(.proceeds, notes: ["writes a line to the log once there is an answer"])
    }
}

extension Response {
    /// What the log calls the response.
    fileprivate var outcome: String {
        switch self {
        case .success: "request succeeded"
        case .error: "request failed"
        case .cancel: "request cancelled"
        case .redirect: "request redirected"
        }
    }
}
