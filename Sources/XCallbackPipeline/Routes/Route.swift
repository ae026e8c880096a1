package import XCallbackRouting
import XCallbackURL

/// One route of a pipeline: what answers an action, and what stands before it.
package final class Route: Sendable {
    /// A stage that changes requests.
    package enum MiddlewareStage: Sendable {
        case immediate(any Middleware)
        case asynchronous(any AsyncMiddleware)
    }

    /// The stage that does the action.
    package enum HandlerStage: Sendable {
        case immediate(any Handler)
        case asynchronous(any AsyncHandler)
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
        package var asyncPolicies: [any AsyncPolicy] = []
        /// What does the action.
        package var handler: HandlerStage
        /// What the configuration calls the handler, for people.
        package var handlerName = ""
        /// What it calls the middleware, in the same order.
        package var middlewareNames: [String] = []
        /// What it calls the policies, in the same order.
        package var policyNames: [String] = []
        /// What it calls the async policies, in the same order.
        package var asyncPolicyNames: [String] = []

        /// Creates a chain that has only a handler.
        package init(handler: HandlerStage) {
            self.handler = handler
        }

        /// Whether something here uses the parameters; an async stage may.
        var usesParameters: Bool {
            if !input.isEmpty || !asyncPolicies.isEmpty || policies.contains(where: \.usesParameters) { return true }
            if case .immediate(let handler) = handler, !handler.usesParameters {
                return middleware.contains { stage in
                    if case .immediate(let stage) = stage { stage.usesParameters } else { true }
                }
            }
            return true
        }
    }

    // What every request looks at comes first, so that it lies together.

    /// Whether requests from the desktop reach it.
    package let isPublic: Bool
    /// Whether `+` in the query stands for a space.
    package let readsForms: Bool
    /// Whether something here uses the parameters.
    let usesParameters: Bool
    /// Whether parameters are declared.
    let declaresInput: Bool
    /// How many of the policies are async.
    let asyncPolicyCount: Int
    /// A hash of the route's identity, the same after a reload.
    package let identityHash: UInt64
    /// The middleware as the walk calls it, with nothing to do in the place of async middleware.
    let middleware: ConstantList<any Middleware>
    /// Which of the middleware is async.
    let isAsync: [Bool]
    /// The policies as the walk calls them.
    let policies: ConstantList<any Policy>
    /// The handler as the walk calls it, unless it is async.
    let handler: ConstantList<any Handler>
    /// What the handler answers, if that is always the same.
    let constantResponse: ConstantList<Response>
    /// What is taken out of requests before the middleware.
    package let secrets: [any SecretPolicy]
    /// The names of the captures, in the order of the pattern; none if nothing here uses the parameters.
    let captureNames: CaptureNames
    /// What a request meets, of which the walk's parts are above.
    package let chain: Chain
    /// How long async stages may take together; nil for the daemon's limit.
    package let timeout: Duration?
    /// The scheme, in lower case.
    package let scheme: String
    /// The actions that it answers.
    package let pattern: RoutePattern
    /// The scheme and the pattern, as the log names the route.
    package let name: String
    /// A hash of what the configuration says of the route; routes that say something else have another one.
    package let contentHash: Int
    private let file: String
    private let line: Int

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - scheme: The scheme, in lower case.
    ///   - pattern: The actions that it answers.
    ///   - file: The file that declares it, for people.
    ///   - line: The line in it.
    ///   - contentHash: A hash of what the configuration says of it.
    ///   - isPublic: Whether requests from the desktop reach it.
    ///   - readsForms: Whether `+` in the query stands for a space.
    ///   - timeout: How long async stages may take together; nil for the daemon's limit.
    ///   - chain: What a request meets.
    package init(
        scheme: String, pattern: RoutePattern, file: String = "", line: Int = 0, contentHash: Int = 0,
        isPublic: Bool = false, readsForms: Bool = false, timeout: Duration? = nil, chain: Chain
    ) {
        self.scheme = scheme
        self.pattern = pattern
        self.file = file
        self.line = line
        self.contentHash = contentHash
        self.isPublic = isPublic
        self.readsForms = readsForms
        self.timeout = timeout
        self.chain = chain
        name = "\(scheme):\(pattern.text)"
        identityHash = stableHash(Self.identity(name: name, pattern: pattern, input: chain.stages.input))
        usesParameters = chain.usesParameters
        declaresInput = !chain.stages.input.isEmpty
        asyncPolicyCount = chain.stages.asyncPolicies.count
        middleware = chain.middleware
        isAsync = chain.isAsync
        policies = chain.policies
        handler = chain.handler
        constantResponse = chain.constantResponse
        secrets = chain.secrets
        captureNames = CaptureNames(usesParameters ? pattern.captures.map(\.name) : [])
    }

    /// Creates a route with a chain of its own.
    package convenience init(
        scheme: String, pattern: RoutePattern, isPublic: Bool = false, readsForms: Bool = false,
        timeout: Duration? = nil, stages: Stages
    ) {
        self.init(
            scheme: scheme, pattern: pattern, isPublic: isPublic, readsForms: readsForms, timeout: timeout,
            chain: Chain(stages))
    }

    /// What a request meets.
    package var stages: Stages { chain.stages }

    /// Where the configuration declares it, for people.
    package var place: String { line > 0 ? "\(file):\(line)" : file }
}
