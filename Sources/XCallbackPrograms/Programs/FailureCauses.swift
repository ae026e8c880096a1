package import XCallbackPipeline

/// The causes of the latest failures that clients see only as failures, for users who may see them.
///
/// Lives on the event loop.
package final class FailureCauses {
    /// The maximum number of causes; a cause is requested shortly after the failure, or never.
    private static let limit = 64

    private var causes: [(id: RequestID, text: String)] = []

    /// Creates an empty list.
    package init() {}

    /// Records the cause of a failure; the first cause of a request is kept.
    package func note(_ text: String, of request: Request) {
        guard let id = request.id, !causes.contains(where: { $0.id == id }) else { return }
        if causes.count == Self.limit { causes.removeFirst() }
        causes.append((id, text))
    }

    /// Removes and returns the cause of a request's failure; nil if it is unknown.
    package func take(_ id: RequestID?) -> String? {
        guard let index = causes.firstIndex(where: { $0.id == id }) else { return nil }
        return causes.remove(at: index).text
    }
}
