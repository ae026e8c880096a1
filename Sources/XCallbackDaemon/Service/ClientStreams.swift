import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPrograms
import XCallbackWire

/// The clients that get streams of replies: receivers, subscribers, and those that watch requests or routes; lives on the
/// event loop.
final class ClientStreams {
    /// The receivers and the deliveries to them.
    let receivers: Receivers
    /// The subscriptions to topics.
    let subscriptions = Subscriptions()
    /// The clients that watch requests.
    let requestWatch: RequestWatch
    /// The clients that watch the routes.
    var catalogueWatches: [ConnectionID: CatalogueWatch] = [:]
    /// All streams.
    private(set) var all: [ConnectionID: ReplyStream] = [:]

    init(_ requestWatch: RequestWatch, _ receivers: Receivers) {
        self.requestWatch = requestWatch
        self.receivers = receivers
    }

    /// Adds a stream of replies.
    ///
    /// - Throws: ``Excess`` if there are too many streams.
    func add(_ stream: ReplyStream) throws(Excess) {
        try stream.account.take(.streams)
        all[stream.connection] = stream
    }

    /// Removes a stream of replies.
    func remove(_ stream: ReplyStream, on loop: isolated EventLoop) {
        guard all.removeValue(forKey: stream.connection) != nil else { return }
        stream.account.give(.streams)
        stream.close()
        catalogueWatches[stream.connection] = nil
        requestWatch.remove(stream.connection)
        subscriptions.remove(stream.connection)
        receivers.remove(stream, on: loop)
    }

    /// Ends all streams and deliveries because the daemon stops.
    func stop(on loop: isolated EventLoop) {
        for stream in all.values { stream.end(with: .stopping) }
        receivers.stop(on: loop)
    }
}
