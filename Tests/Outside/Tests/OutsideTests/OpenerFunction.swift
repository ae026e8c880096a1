import XCallback

/// An application that is a function.
struct OpenerFunction: Opener {
    private let body: @concurrent @Sendable (ActionURL) async throws -> Response

    init(_ body: @concurrent @escaping @Sendable (ActionURL) async throws -> Response) {
        self.body = body
    }

    func open(_ url: ActionURL) async throws -> Response { try await body(url) }
}
