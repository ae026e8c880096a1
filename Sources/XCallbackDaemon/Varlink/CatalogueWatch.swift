import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackWire

/// The routes that a client asks for, as the reply to `Routes`.
struct RoutesReply {
    let query: CatalogueQuery
    let showsPlaces: Bool
    let served: ServedConfiguration

    /// Returns the work that makes the list of the present configuration, outside the loop.
    func making() -> Inspections.Work {
        let (configuration, revision) = (served.current, served.number)
        return { [query, showsPlaces] in
            configuration.routeList(query, revision: revision, showsPlaces: showsPlaces)
        }
    }
}

/// A client that gets the list of routes, and again after each reload that changes one of them.
///
/// A list is made when the client has read the one before: a slow reader may miss some of them, but never the last one.
final class CatalogueWatch {
    let stream: ReplyStream
    private let list: RoutesReply
    private let inspections: Inspections
    /// Whether the client needs another list, which is not being made yet.
    private var isDue = true
    /// Whether a list is being made.
    private var isBusy = false

    /// Creates a watch that has not sent anything yet.
    init(_ stream: ReplyStream, _ list: RoutesReply, _ inspections: Inspections) {
        self.stream = stream
        self.list = list
        self.inspections = inspections
    }

    /// Handles a new configuration.
    func configurationChanged(_ difference: RouteDifference?, on loop: isolated EventLoop) {
        guard difference?.changes.contains(where: { list.query.concerns($0.route) }) ?? true else { return }
        isDue = true
        proceed(on: loop)
    }

    /// Makes the list if it is due, and the client has read the previous one.
    func proceed(on loop: isolated EventLoop) {
        guard isDue, !isBusy, stream.isEmpty, stream.ending == nil else { return }
        (isDue, isBusy) = (false, true)
        inspections.add(for: stream.connection, of: stream.account.name.owner, on: loop, list.making) {
            [weak self] result in
            self?.send(result)
        }
    }

    private func send(_ result: Result<[UInt8], VarlinkError>) {
        isBusy = false
        do throws(VarlinkError) {
            let list = try result.get()
            // The list stays until the client has read it, so the account must have room for it.
            do throws(Excess) {
                try stream.account.checkRoom(.bytes, list.count)
            } catch {
                throw VarlinkError(error)
            }
            stream.add(list)
        } catch {
            stream.end(with: error)
        }
    }
}
