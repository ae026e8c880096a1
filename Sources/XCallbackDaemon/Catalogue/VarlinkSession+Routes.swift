import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackPrograms
import XCallbackVarlink

// Queries for routes: a page of them, or all of them and their changes.
extension VarlinkSession {
    /// Returns the routes.
    func showRoutes(_ parameters: JSONValue, on loop: isolated EventLoop) {
        let cursor = parameters["cursor"]?.text
        let start = cursor.map { Int($0) ?? -1 } ?? 0
        // Only in the form that the daemon sends, so without a sign; a cursor after the last route may be from an
        // earlier configuration.
        guard start >= 0, cursor.map({ $0 == "\(start)" }) ?? true else { return refuse(.invalidParameter("cursor")) }
        // The socket for assistants shows only what they may use, and its clients are assistants themselves.
        let asked = parameters["origin"]?.text.flatMap(Origin.init(rawValue:))
        if asked == .internal { return refuse(.invalidParameter("origin")) }
        let reach = origin == .agent ? origin : asked
        if let reach, reach.isForeign {
            do throws(Excess) {
                try move(to: reach.accountClass, on: loop)
            } catch {
                return refuse(VarlinkError(error))
            }
        }
        let query = CatalogueQuery(parameters, reachedFrom: reach?.bit ?? [])
        let showsPlaces = origin != .agent && service.mayAll(peer)
        if conversation.acceptsMore {
            guard cursor == nil else { return refuse(.invalidParameter("cursor")) }
            let first: JSONValue = [
                "routes": .array([]), "revision": .number(JSONNumber(service.configurationNumber)),
                "cursor": .string("0"),
                "schemes": .null,
            ]
            guard let stream = beginStream(gap: nil, first: first, on: loop) else { return }
            service.watch(CatalogueWatch(stream, query, showsPlaces: showsPlaces), on: loop)
            return
        }
        let page = CataloguePages()
        inspect(on: loop) { [service] in
            let (configuration, revision) = (service.configuration, service.configurationNumber)
            return {
                page.put(
                    CataloguePage(of: configuration, revision, query, from: start, showsPlaces: showsPlaces))
                return .success([:])
            }
        } then: { [self] result in
            if case .success = result, let page = page.take() {
                replySource = .text(page.text)
            } else {
                replySource = .reply(result)
            }
        }
    }
}
