import Synchronization
import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackJSON

/// A client that is told the routes, and again after each reload that changes one of them.
///
/// It gets page after page, each when it has taken the one before: nothing piles up for one who reads slowly. A reload in
/// the middle of a list begins the list again, so that it may miss a state but never the last one.
final class CatalogueWatch {
    let stream: ReplyStream
    private let query: CatalogueQuery
    private let showsPlaces: Bool
    /// The route at which the next page begins; nil if all was told.
    private var position: Int? = 0
    /// The configuration of which the list is.
    private var revision = 0
    /// Whether a page is being made, or waits for its turn.
    private var isBusy = false

    /// How long a page waits that cannot be made now.
    private static let pause = Duration.seconds(1)

    /// Creates a watch that has told nothing yet.
    init(_ stream: ReplyStream, _ query: CatalogueQuery, showsPlaces: Bool) {
        self.stream = stream
        self.query = query
        self.showsPlaces = showsPlaces
    }

    /// Hears that another configuration is served.
    func configurationChanged(_ difference: RouteDifference?, _ service: RequestService, on loop: isolated EventLoop) {
        guard position != nil || difference?.changes.contains(where: { query.concerns($0.route) }) ?? true else {
            return
        }
        position = 0
        goOn(service, on: loop)
    }

    /// Has the next page made when it is its turn, if the client has taken the one before.
    func goOn(_ service: RequestService, on loop: isolated EventLoop) {
        guard position != nil, !isBusy, stream.isEmpty, stream.ending == nil else { return }
        isBusy = true
        if service.catalogueWatches.enter(self) { makePage(service, on: loop) }
    }

    /// Makes the next page; it is its turn.
    private func makePage(_ service: RequestService, on loop: isolated EventLoop) {
        guard isBusy, let start = position else { return }
        let pages = CataloguePages()
        do throws(Excess) {
            try service.inspections.add(for: stream.connection, of: stream.account, on: loop) {
                [self, query, showsPlaces] in
                let configuration = service.configuration
                let revision = service.configurationNumber
                // What is served now may have come since the page was asked for.
                let start = revision == self.revision ? start : 0
                self.revision = revision
                return {
                    pages.put(
                        CataloguePage(of: configuration, revision, query, from: start, showsPlaces: showsPlaces))
                    return .success([:])
                }
            } reply: { [weak self] _ in
                self?.take(pages.take(), service, on: loop)
            }
        } catch {
            _ = loop.call(after: Self.pause) { [weak self] in self?.makePage(service, on: loop) }
        }
    }

    /// Lets the next one have its turn.
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
            // A reload that has changed nothing for this client does not end the list, but its numbers are others'.
            if position != nil { position = 0 }
            return goOn(service, on: loop)
        }
        position = page.next
        stream.add(page.text)
    }
}

/// Where a page is put once it is made.
final class CataloguePages: Sendable {
    private let page = Mutex<CataloguePage?>(nil)

    /// Puts a page there.
    func put(_ page: CataloguePage) { self.page.withLock { $0 = page } }

    /// Takes the page; nil if there is none.
    func take() -> CataloguePage? { page.withLock { $0.take() } }
}

extension RequestService {
    /// Tells a client the routes, and again when they change.
    func watch(_ watch: CatalogueWatch, on loop: isolated EventLoop) {
        catalogueWatches.add(watch)
        watch.stream.refill = { [unowned self, weak watch] in watch?.goOn(self, on: loop) }
        watch.goOn(self, on: loop)
    }

    /// Forgets a client that was told the routes, if it is one.
    func removeCatalogueWatch(of stream: ReplyStream, on loop: isolated EventLoop) {
        catalogueWatches.remove(stream.connection)?.leave(self, on: loop)
    }
}
