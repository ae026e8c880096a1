import Logging
import XCallbackConfiguration
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Logs a line for each request: errors at `info`, everything else at `debug`.
///
/// A line names the route's pattern, or the scheme if no route answers. It includes request content only at `debug`,
/// and only with `log: { values: true }`: the parameters without secrets, never the callbacks.
struct LogMiddleware: Middleware, ConfiguredStage {
    /// The maximum number of bytes of parameters in a line.
    private static let valueLimit = 1024
    /// The maximum number of characters of a scheme in a line, which comes from the client.
    private static let schemeLimit = 64

    private let logger: Logger
    private let logsAll: Bool
    private let logsErrors: Bool
    private let logsValues: Bool

    init?(_ source: StageSource) {
        var wantsValues = false
        if let node = source.node, !node.isNull {
            guard let reader = MappingReader(node, of: "a 'log' middleware", faults: source.faults) else { return nil }
            wantsValues = reader.bool("values") ?? false
            reader.finish()
        }
        logger = source.context.options.logger
        logsAll = logger.logLevel <= .debug
        logsErrors = logger.logLevel <= .info
        logsValues = wantsValues && logsAll
    }

    var facts: StageFacts { StageFacts { $0.usesParameters = logsValues } }

    func receive(_ request: inout Request, _ host: any StageHost) -> MiddlewareResult {
        request.receivedTime = host.time
        return .proceed
    }

    func finish(_ request: Request, _ response: inout Response, _ host: any StageHost) {
        if case .error(let error) = response {
            guard logsErrors, host.takeLogLine(for: request) else { return }
            var metadata = metadata(of: request, "error", at: host.time)
            metadata["error.code"] = "\(error.code.rawValue)"
            // The daemon's own messages name parameters, but never quote values.
            metadata["error.message"] = "\(error.message)"
            if error.code == .unknownAction {
                metadata["request.scheme"] = "\(request.url.scheme.prefix(Self.schemeLimit))"
            }
            logger.info("request failed", metadata: metadata)
        } else if logsAll, host.takeLogLine(for: request) {
            let (sentence, outcome) = response.outcome
            logger.debug(sentence, metadata: metadata(of: request, outcome, at: host.time))
        }
    }

    private func metadata(of request: Request, _ outcome: String, at now: Int64) -> Logger.Metadata {
        var metadata = request.logMetadata
        metadata["request.outcome"] = "\(outcome)"
        metadata["duration.usec"] = "\((now - request.receivedTime) / 1_000)"
        metadata["request.origin"] = "\(request.origin.rawValue)"
        metadata["peer.pid"] = "\(request.peer.processID)"
        if logsValues { metadata["request.parameters"] = "\(Self.text(of: request.parameters))" }
        return metadata
    }

    /// Parameters as a query, which is always a single line, without a password.
    private static func text(of parameters: QueryItems) -> String {
        var (text, parameters) = (ByteBuffer(), parameters)
        parameters.removeAll(named: RequestFact.password.parameterName)
        text.append(percentEncoding: parameters)
        let isCut = text.count > valueLimit
        if isCut { text.truncate(to: valueLimit) }
        return String(utf8: text.bytes.span.extracting(0..<text.count)) + (isCut ? "…" : "")
    }
}

extension Response {
    /// The log message for the response, and the word for the outcome.
    fileprivate var outcome: (Logger.Message, String) {
        switch self {
        case .success: ("request succeeded", "success")
        case .error: ("request failed", "error")
        case .cancel: ("request cancelled", "cancel")
        case .redirect: ("request redirected", "redirect")
        }
    }
}
