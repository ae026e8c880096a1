import XCallbackEventLoop
import XCallbackPipeline
import XCallbackWire

/// What all sessions use; lives on the event loop.
final class SessionParts {
    let processor: RequestProcessor
    let streams: ClientStreams
    let inspections: Inspections
    let served: ServedConfiguration
    let log: ServiceLog
    /// Whether this is the system's daemon and not a user's.
    let isOfSystem: Bool
    /// Memory that is reused for each call of Varlink.
    var message = JSONDocument()
    private unowned let service: RequestService

    init(of service: RequestService) {
        processor = service.processor
        streams = service.streams
        inspections = service.inspections
        served = service.served
        log = service.log
        isOfSystem = service.site.isSystem
        self.service = service
    }

    /// Returns the reply to `Status`.
    func status(for peer: Peer, on loop: isolated EventLoop) -> JSONValue { service.statusReply(for: peer, on: loop) }

    /// Reloads the configuration and returns the reply to `Reload`.
    func reload(on loop: isolated EventLoop) async -> Result<JSONValue, VarlinkError> {
        if let outcome = await service.reload(on: loop) { return outcome.reply }
        return .failure(service.isStopping ? .stopping : .noThread)
    }
}
