package import XCallbackRouting
import XCallbackURL

/// One route of a pipeline: what answers an action, and what stands before it.
package final class Route: Sendable {
    /// A stage that changes requests.
    package enum MiddlewareStage: Sendable {
        case immediate(any Middleware)
        case awaited(any AwaitedMiddleware)
    }

    /// The stage that does the action.
    package enum HandlerStage: Sendable {
        case immediate(any Handler)
        case awaited(any AwaitedHandler)
    }

    /// What a route is made of, in the order in which a request meets it.
    package struct Stages: Sendable {
        /// What changes the request; the first one is met first.
        package var middleware: [MiddlewareStage] = []
        /// What refuses the request; the first that does ends it.
        package var policies: [any Policy] = []
        /// The declared parameters.
        package var input = Input([])
        /// What asks somebody before the action is done.
        package var awaitedPolicies: [any AwaitedPolicy] = []
        /// What does the action.
        package var handler: HandlerStage
        /// What the configuration calls the handler, for people.
        package var handlerName = ""

        /// Creates a chain that has only a handler.
        package init(handler: HandlerStage) {
            self.handler = handler
        }
    }

    /// The scheme, in lower case.
    package let scheme: String
    /// The actions that it answers.
    package let pattern: RoutePattern
    /// The scheme and the pattern, as the log names the route.
    package let name: String
    /// Where the configuration declares it, for people.
    package let place: String
    /// A hash of what the configuration says of the route; routes that say something else have another one.
    package let contentHash: Int
    /// Whether requests from the desktop reach it.
    package let isPublic: Bool
    /// Whether `+` in the query stands for a space.
    package let readsForms: Bool
    /// How long awaited stages may take together; nil for the daemon's limit.
    package let timeout: Duration?
    /// What a request meets.
    package let stages: Stages
    /// The names of the captures, in the order of the pattern.
    let captureNames: [[UInt8]]
    /// The middleware as the walk calls it; nil in the place of one that has to wait.
    let middleware: [(any Middleware & AnyObject)?]
    /// The policies as the walk calls them.
    let policies: [any Policy & AnyObject]
    /// The handler as the walk calls it, unless it has to wait.
    let handler: (any Handler & AnyObject)?

    /// Creates a route.
    package init(
        scheme: String, pattern: RoutePattern, place: String = "", contentHash: Int = 0, isPublic: Bool = false,
        readsForms: Bool = false, timeout: Duration? = nil, stages: Stages
    ) {
        self.scheme = scheme
        self.pattern = pattern
        self.place = place
        self.contentHash = contentHash
        self.isPublic = isPublic
        self.readsForms = readsForms
        self.timeout = timeout
        self.stages = stages
        name = "\(scheme):\(pattern.text)"
        captureNames = pattern.captures.map { Array($0.name.utf8) }
        middleware = stages.middleware.map { if case .immediate(let stage) = $0 { stage.reference } else { nil } }
        policies = stages.policies.map(\.reference)
        handler = if case .immediate(let stage) = stages.handler { stage.reference } else { nil }
    }
}
