import Synchronization
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackWire

/// A client that gets the list of routes, and again after each reload that changes one of them.
///
/// A list is made when the client has read the one before: a slow reader may miss some of them, but never the last one.
final class CatalogueWatch {
    /// The delay before a list that could not be made is tried again.
    private static let pause = Duration.seconds(1)

    private let stream: ReplyStream
    private let query: CatalogueQuery
    private let showsPlaces: Bool
    /// Whether the client needs another list, which is not being made yet.
    private var isDue = true
    /// Whether a list is being made.
    private var isBusy = false

    /// Creates a watch that has not sent anything yet.
    init(_ stream: ReplyStream, _ query: CatalogueQuery, showsPlaces: Bool) {
        self.stream = stream
        self.query = query
        self.showsPlaces = showsPlaces
    }

    /// Handles a new configuration.
    func configurationChanged(_ difference: RouteDifference?, _ service: RequestService, on loop: isolated EventLoop) {
        guard difference?.changes.contains(where: { query.concerns($0.route) }) ?? true else { return }
        isDue = true
        proceed(service, on: loop)
    }

    /// Makes the list if it is due, and the client has read the previous one.
    func proceed(_ service: RequestService, on loop: isolated EventLoop) {
        guard isDue, !isBusy, stream.isEmpty, stream.ending == nil else { return }
        (isDue, isBusy) = (false, true)
        let list = RouteList()
        service.inspections.add(for: stream.connection, of: stream.account.name.owner, on: loop) {
            [query, showsPlaces] in
            list.making(of: service, query, showsPlaces: showsPlaces)
        } reply: { [weak self] _ in
            self?.send(list.take(), service, on: loop)
        }
    }

    private func send(_ list: [UInt8]?, _ service: RequestService, on loop: isolated EventLoop) {
        isBusy = false
        guard let list else {
            isDue = true
            _ = loop.call(after: Self.pause) { [weak self] in self?.proceed(service, on: loop) }
            return
        }
        do throws(Excess) {
            try stream.addCounted(list)
        } catch {
            stream.end(with: VarlinkError(error))
        }
    }
}

/// Holds a list of routes, as the JSON object of a reply, once it is made outside the loop.
final class RouteList: Sendable {
    private let text = Mutex<[UInt8]?>(nil)

    /// Returns the work that makes the list of the present configuration.
    func making(of service: RequestService, _ query: CatalogueQuery, showsPlaces: Bool) -> Inspections.Work {
        let (configuration, revision) = (service.configuration, service.served.number)
        return { [self] in
            let list = configuration.routeList(query, revision: revision, showsPlaces: showsPlaces)
            text.withLock { $0 = list }
            return .success([:])
        }
    }

    /// Removes and returns the list; nil if there is none.
    func take() -> [UInt8]? { text.withLock { $0.take() } }
}

extension RequestService {
    /// Sends the routes to a client, and again when they change.
    func watchRoutes(_ query: CatalogueQuery, showsPlaces: Bool, _ stream: ReplyStream, on loop: isolated EventLoop) {
        let watch = CatalogueWatch(stream, query, showsPlaces: showsPlaces)
        streams.catalogueWatches[stream.connection] = watch
        stream.refill = { [unowned self, weak watch] in watch?.proceed(self, on: loop) }
        watch.proceed(self, on: loop)
    }
}
