import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackPrograms
import XCallbackVarlink

// What clients ask of the routes: a page of them, or all and again what they become.
extension VarlinkSession {
    /// Tells which routes there are.
    func showRoutes(_ parameters: JSONValue, on loop: isolated EventLoop) {
        let cursor = parameters["cursor"]?.text
        let start = cursor.map { Int($0) ?? -1 } ?? 0
        // As it was given out, so without a sign; one behind the last route may be that of an earlier configuration.
        guard start >= 0, cursor.map({ $0 == "\(start)" }) ?? true else { return refuse(.invalidParameter("cursor")) }
        // Over the socket for assistants there is nothing but what they may have done, and who asks for them is one of them.
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
