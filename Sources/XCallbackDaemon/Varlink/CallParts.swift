import XCallbackEventLoop
import XCallbackPipeline
import XCallbackWire

/// What the calls of all Varlink sessions use, besides the processor of requests; lives on the event loop.
final class CallParts {
    let streams: ClientStreams
    let inspections: Inspections
    let served: ServedConfiguration
    /// Whether this is the system's daemon and not a user's.
    let isOfSystem: Bool
    /// Memory that is reused for each call.
    var message = JSONDocument()
    private unowned let service: RequestService

    init(of service: RequestService) {
        streams = service.streams
        inspections = service.inspections
        served = service.served
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
