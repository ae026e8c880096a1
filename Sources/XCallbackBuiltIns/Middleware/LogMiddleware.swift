import Logging
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
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
    /// Whether each request is logged at `notice`, with the names of its user and group (`audit`).
    private let isAudit: Bool
    /// Looks names up, which takes long where another machine has them.
    private static let names = WorkQueue()
    /// The number of look-ups that may wait; then lines have no names.
    private static let nameLimit = 256

    init?(_ source: StageSource) {
        var (wantsValues, isAudit) = (false, false)
        if let node = source.node, !node.isNull {
            guard let reader = MappingReader(node, of: "a 'log' middleware", faults: source.faults) else { return nil }
            wantsValues = reader.bool("values") ?? false
            isAudit = reader.bool("audit") ?? false
            reader.finish()
        }
        logger = source.context.options.logger
        logsAll = logger.logLevel <= .debug
        logsErrors = logger.logLevel <= .info
        logsValues = wantsValues && logsAll
        self.isAudit = isAudit
    }

    var facts: StageFacts { StageFacts { $0.usesParameters = logsValues } }

    func receive(_ request: inout Request, _ host: any StageHost) -> MiddlewareResult {
        request.receivedTime = host.time
        return .proceed
    }

    func finish(_ request: Request, _ response: inout Response, _ host: any StageHost) {
        if isAudit {
            if host.takeLogLine(for: request) { audit(request, response, at: host.time) }
        } else if case .error(let error) = response {
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
            let (sentence, word) = response.outcome
            logger.debug(sentence, metadata: metadata(of: request, word, at: host.time))
        }
    }

    /// Waits for a moment until the lines are written whose names are looked up.
    static func finish() { names.finish(within: .seconds(1)) }

    /// Logs who has run what, and how it ended.
    private func audit(_ request: Request, _ response: Response, at now: Int64) {
        var metadata = metadata(of: request, response.outcome.word, at: now)
        if case .error(let error) = response { metadata["error.code"] = "\(error.code.rawValue)" }
        let (peer, line) = (request.peer, metadata)
        if Self.names.pendingCount >= Self.nameLimit { return logger.notice("action asked for", metadata: line) }
        do throws(SystemError) {
            try Self.names.async { [logger] in
                var line = line
                line["peer.user"] = UserDatabase.name(of: peer.userID).map { "\($0)" }
                line["peer.group"] = UserDatabase.name(ofGroup: peer.groupID).map { "\($0)" }
                logger.notice("action asked for", metadata: line)
            }
        } catch {
            logger.notice("action asked for", metadata: line)
        }
    }

    private func metadata(of request: Request, _ outcome: String, at now: Int64) -> Logger.Metadata {
        var metadata = request.logMetadata
        metadata["request.outcome"] = "\(outcome)"
        metadata["duration.usec"] = "\((now - request.receivedTime) / 1_000)"
        metadata["request.origin"] = "\(request.origin.rawValue)"
        metadata["peer.pid"] = "\(request.peer.processID)"
        // After a redirect, a secret can have any name.
        if logsValues, !(request.hasSecrets && request.isRedirected) {
            metadata["request.parameters"] = "\(Self.text(of: request))"
        }
        return metadata
    }

    /// Parameters as a query, which is always a single line, without a password and other secrets.
    private static func text(of request: Request) -> String {
        var (text, parameters) = (ByteBuffer(), request.parameters)
        parameters.removeAll(named: RequestFact.password.parameterName)
        for declaration in request.matchedRoute?.stages.input.declarations ?? [] where declaration.rule.isSecret {
            parameters.removeAll(named: declaration.name)
        }
        text.append(percentEncoding: parameters)
        let isCut = text.count > valueLimit
        if isCut { text.truncate(to: valueLimit) }
        return String(utf8: text.bytes.span.extracting(0..<text.count)) + (isCut ? "…" : "")
    }
}

/// Waits for a moment until all lines of `audit` are written.
package func finishAudit() { LogMiddleware.finish() }

extension Response {
    /// The log message for the response, and the word for the outcome.
    fileprivate var outcome: (sentence: Logger.Message, word: String) {
        switch self {
        case .success: ("request succeeded", "success")
        case .error: ("request failed", "error")
        case .cancel: ("request cancelled", "cancel")
        case .redirect: ("request redirected", "redirect")
        }
    }
}
