import XCallbackPipeline
import XCallbackURL

/// Answers a request that matches no route, after the middleware of all routes.
struct NoRouteHandler: Handler {
    /// The router's own schemes, in lower case.
    let schemes: [String]

    func handle(_ request: Request, _ state: inout PipelineState) -> Response {
        .error(schemes.contains(request.url.scheme) ? .unknownAction : .unknownScheme)
    }
}
