import Synchronization
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackJSON

/// A client that gets the list of routes, and again after each reload that changes one of them.
///
/// Each page is sent after the client has read the previous one, so that no data piles up for slow readers. A reload
/// in the middle of a list restarts the list: the client may miss an intermediate state but never the last one.
final class CatalogueWatch {
    let stream: ReplyStream
    private let query: CatalogueQuery
    private let showsPlaces: Bool
    /// The route at which the next page starts; nil if the list is complete.
    private var position: Int? = 0
    /// The configuration of the list.
    private var revision = 0
    /// Whether a page is being made or waits for its turn.
    private var isBusy = false

    /// The delay before a page that cannot be made is tried again.
    private static let pause = Duration.seconds(1)

    /// Creates a watch that has not sent anything yet.
    init(_ stream: ReplyStream, _ query: CatalogueQuery, showsPlaces: Bool) {
        self.stream = stream
        self.query = query
        self.showsPlaces = showsPlaces
    }

    /// Handles a new configuration.
    func configurationChanged(_ difference: RouteDifference?, _ service: RequestService, on loop: isolated EventLoop) {
        guard position != nil || difference?.changes.contains(where: { query.concerns($0.route) }) ?? true else {
            return
        }
        position = 0
        goOn(service, on: loop)
    }

    /// Requests the next page if the client has read the previous one.
    func goOn(_ service: RequestService, on loop: isolated EventLoop) {
        guard position != nil, !isBusy, stream.isEmpty, stream.ending == nil else { return }
        isBusy = true
        if service.catalogueWatches.enter(self) { makePage(service, on: loop) }
    }

    /// Makes the next page when its turn comes.
    private func makePage(_ service: RequestService, on loop: isolated EventLoop) {
        guard isBusy, let start = position else { return }
        let pages = CataloguePages()
        service.inspections.add(for: stream.connection, of: stream.account.name.owner, on: loop) {
            [self, query, showsPlaces] in
            let configuration = service.configuration
            let revision = service.configurationNumber
            // The configuration may have changed since the page was requested.
            let start = revision == self.revision ? start : 0
            self.revision = revision
            return {
                pages.put(CataloguePage(of: configuration, revision, query, from: start, showsPlaces: showsPlaces))
                return .success([:])
            }
        } reply: { [weak self] _ in
            self?.take(pages.take(), service, on: loop)
        }
    }

    /// Ends the turn, and starts the next one.
    func leave(_ service: RequestService, on loop: isolated EventLoop) {
        isBusy = false
        service.catalogueWatches.leave(self)?.makePage(service, on: loop)
    }

    private func take(_ page: CataloguePage?, _ service: RequestService, on loop: isolated EventLoop) {
        leave(service, on: loop)
        guard let page else {
            _ = loop.call(after: Self.pause) { [weak self] in self?.goOn(service, on: loop) }
            return
        }
        guard revision == service.configurationNumber else {
            // A reload without changes for this client does not end the list, but the routes have other numbers.
            if position != nil { position = 0 }
            return goOn(service, on: loop)
        }
        position = page.next
        stream.add(page.text)
    }
}

/// Holds a page once it is made.
final class CataloguePages: Sendable {
    private let page = Mutex<CataloguePage?>(nil)

    /// Stores a page.
    func put(_ page: CataloguePage) { self.page.withLock { $0 = page } }

    /// Removes and returns the page; nil if there is none.
    func take() -> CataloguePage? { page.withLock { $0.take() } }
}

extension RequestService {
    /// Sends the routes to a client, and again when they change.
    func watch(_ watch: CatalogueWatch, on loop: isolated EventLoop) {
        catalogueWatches.add(watch)
        watch.stream.refill = { [unowned self, weak watch] in watch?.goOn(self, on: loop) }
        watch.goOn(self, on: loop)
    }

    /// Removes the watch of a client, if any.
    func removeCatalogueWatch(of stream: ReplyStream, on loop: isolated EventLoop) {
        catalogueWatches.remove(stream.connection)?.leave(self, on: loop)
    }
}
