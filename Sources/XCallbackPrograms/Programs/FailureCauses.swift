package import XCallbackEventLoop
package import XCallbackPipeline

/// Why the last requests failed whose clients are told nothing but that: for those who may know it.
///
/// It lives on the event loop.
package final class FailureCauses {
    /// How many are kept: each is asked for in the moment after, or never.
    private static let limit = 64

    private var causes: [(id: RequestID, text: String)] = []

    /// Creates a list of none.
    package init() {}

    /// Notes why a request fails; one that has a cause keeps it.
    package func note(_ text: String, of request: Request) {
        guard let id = request.id, !causes.contains(where: { $0.id == id }) else { return }
        if causes.count == Self.limit { causes.removeFirst() }
        causes.append((id, text))
    }

    /// Takes the cause of a request's failure; nil if none is known.
    package func take(_ id: RequestID?) -> String? {
        guard let index = causes.firstIndex(where: { $0.id == id }) else { return nil }
        return causes.remove(at: index).text
    }
}

extension EventLoop {
    /// Why the last requests failed.
    package var failureCauses: FailureCauses { resident { FailureCauses() } }
}
