import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackWire

extension VarlinkSession {
    /// Returns the routes, or sends them and their changes.
    func showRoutes(_ parameters: RoutesParameters, on loop: isolated EventLoop) {
        // The socket for assistants shows only what they may use, and its clients are assistants themselves.
        let reach = origin == .agent ? origin : parameters.origin
        if let reach, reach.isForeign {
            do throws(Excess) {
                try move(to: reach.accountClass, on: loop)
            } catch {
                return refuse(VarlinkError(error))
            }
        }
        let query = CatalogueQuery(
            schemes: parameters.schemes, prefix: parameters.prefix ?? "", reachedFrom: reach?.bit ?? [])
        let showsPlaces = origin != .agent && service.mayAll(peer)
        if conversation.acceptsMore {
            guard let stream = beginStream(gap: nil, on: loop) else { return }
            return service.watchRoutes(query, showsPlaces: showsPlaces, stream, on: loop)
        }
        let list = RouteList()
        inspect(on: loop) { [service] in
            list.making(of: service, query, showsPlaces: showsPlaces)
        } then: { [self] result in
            replySource = list.take().map { .text($0) } ?? .reply(result)
        }
    }
}
