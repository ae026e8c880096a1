import XCallbackURL
import XCallbackWire

/// One route of a pipeline: the handler of an action, and the stages before it.
package final class Route: Sendable {
    // Fields that every request reads come first, for locality.

    /// The origins that reach the route.
    package let reach: OriginSet
    /// Whether `+` in the query stands for a space.
    package let readsForms: Bool
    /// A hash of the route's identity, the same after a reload.
    package let identityHash: UInt64
    /// The stages of the route.
    package let chain: Chain
    /// The names of the captures, in the order of the pattern; none if no stage uses the parameters.
    let captureNames: CaptureNames
    /// The parts of its URLs that it declares as parameters, such as `@port`.
    package let declaredFacts: [RequestFact]
    /// The scheme, in lower case.
    package let scheme: String
    /// The actions that the route answers.
    package let pattern: RoutePattern
    /// The scheme and the pattern, which name the route in the log.
    package let name: String
    /// A hash of the route's configuration, which differs between different configurations and is the same in every process.
    package let fingerprint: UInt64
    package let file: String
    package let line: Int

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - scheme: The scheme, in lower case.
    ///   - pattern: The actions that the route answers.
    ///   - file: The file that declares the route, for messages.
    ///   - line: The line in the file.
    ///   - fingerprint: A hash of the route's configuration.
    ///   - reach: The origins that reach the route.
    ///   - chain: The stages of the route.
    package init(
        scheme: String, pattern: RoutePattern, file: String = "", line: Int = 0, fingerprint: UInt64 = 0,
        reach: OriginSet = .trusted, chain: Chain
    ) {
        self.scheme = scheme
        self.pattern = pattern
        self.file = file
        self.line = line
        self.fingerprint = fingerprint
        self.reach = reach
        readsForms = chain.stages.settings.readsForms
        self.chain = chain
        name = scheme + ":" + pattern.text
        identityHash = stableHash(Self.identity(name: name, pattern: pattern, input: chain.stages.input))
        let declarations = pattern.syntax == .url && chain.declaresInput ? chain.stages.input.declarations : []
        declaredFacts = RequestFact.partsOfURLs.filter { declarations.first(named: $0.parameterName) != nil }
        captureNames = CaptureNames(chain.usesParameters ? pattern.captures.map(\.name) : [])
    }

    /// Whether requests from the desktop reach the route.
    package var isPublic: Bool { reach.contains(Origin.desktop.bit) }

    /// The stages of the route.
    package var stages: Stages { chain.stages }

    /// The time limit of all async stages together; nil for the daemon's limit.
    package var timeout: Duration? { stages.settings.timeout }

    /// The place of the route in the configuration, for messages.
    package var place: String { line > 0 ? "\(file):\(line)" : file }
}
