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
        /// What else must not be seen, where no policy of the route asks for it.
        package var hiddenSecrets: [any SecretPolicy] = []
        /// The declared parameters.
        package var input = Input([])
        /// What asks somebody before the action is done.
        package var awaitedPolicies: [any AwaitedPolicy] = []
        /// What does the action.
        package var handler: HandlerStage
        /// What the configuration calls the handler, for people.
        package var handlerName = ""
        /// What it calls the middleware, in the same order.
        package var middlewareNames: [String] = []
        /// What it calls the policies, in the same order.
        package var policyNames: [String] = []
        /// What it calls the awaited policies, in the same order.
        package var awaitedPolicyNames: [String] = []

        /// Creates a chain that has only a handler.
        package init(handler: HandlerStage) {
            self.handler = handler
        }

        /// Whether something here uses the parameters; what has to wait may.
        fileprivate var usesParameters: Bool {
            if !input.isEmpty || !awaitedPolicies.isEmpty || policies.contains(where: \.usesParameters) { return true }
            if case .immediate(let handler) = handler, !handler.usesParameters {
                return middleware.contains { stage in
                    if case .immediate(let stage) = stage { stage.usesParameters } else { true }
                }
            }
            return true
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
    let captureNames: CaptureNames
    /// Whether something here uses the parameters.
    let usesParameters: Bool
    /// What is taken out of requests before the middleware.
    let secrets: [any SecretPolicy]
    /// The middleware as the walk calls it, with nothing to do in the place of one that has to wait.
    let middleware: ConstantList<any Middleware>
    /// Which of the middleware has to wait.
    let isAwaited: [Bool]
    /// The policies as the walk calls them.
    let policies: ConstantList<any Policy>
    /// The handler as the walk calls it, unless it has to wait.
    let handler: ConstantList<any Handler>

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
        captureNames = CaptureNames(pattern.captures.map(\.name))
        middleware = ConstantList(
            stages.middleware.map { if case .immediate(let stage) = $0 { stage } else { NoMiddleware() } })
        usesParameters = stages.usesParameters
        secrets = stages.hiddenSecrets + stages.policies.compactMap { $0 as? any SecretPolicy }
        isAwaited = stages.middleware.map { if case .awaited = $0 { true } else { false } }
        policies = ConstantList(stages.policies)
        handler = if case .immediate(let stage) = stages.handler { ConstantList([stage]) } else { ConstantList([]) }
    }
}

/// Does nothing; it keeps the place of a stage that the walk does not call itself.
private struct NoMiddleware: Middleware {
    func receive(_ request: inout Request, _ state: inout PipelineState) -> Step { .proceed }
}
