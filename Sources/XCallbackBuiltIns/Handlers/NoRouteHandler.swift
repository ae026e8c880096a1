import XCallbackPipeline
import XCallbackURL

/// Answers a request for which there is no route, behind the middleware of all routes.
struct NoRouteHandler: Handler {
    /// The router's own schemes, in lower case.
    let schemes: [String]

    var usesParameters: Bool { false }

    func handle(_ request: Request, _ state: inout PipelineState) -> Response {
        .error(schemes.contains(request.url.scheme) ? .unknownAction : .unknownScheme)
    }
}
