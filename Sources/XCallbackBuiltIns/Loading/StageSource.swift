import Glibc
import Logging
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPipeline
import XCallbackPrograms
import XCallbackRouting
import XCallbackURL

/// What a stage is decoded from: its own node, and what it may know of the configuration and of its route.
package struct StageSource {
    /// What the configuration says of all routes.
    package final class Surroundings {
        /// Where faults are reported.
        let faults: FaultList
        /// Where stages log.
        let logger: Logger
        /// The router's own schemes, in lower case.
        let ownSchemes: [String]
        /// Whether these are all; else a name that is not among them may be one that could not be read.
        let knowsAllSchemes: Bool
        /// Whether all files could be read; else a name that is not known may be defined in one that could not.
        let isComplete: Bool
        /// Which URLs may take answers.
        let callbackRules: CallbackRules
        /// The limits of the daemon.
        let limits: Limits
        /// The daemon's user.
        let ownUserID = geteuid()
        /// The users that policies name.
        let users = NumberedNames(UserDatabase.userID)
        /// The groups that policies name.
        let groups = NumberedNames(UserDatabase.groupID)
        /// The programs that stages run.
        let programs: ProgramNames
        /// What runs them.
        let runners: ProgramRunners
        /// The service that reads the secrets, if the configuration is only checked here.
        let service: ServiceUnit?
        /// The only route whose stages are wanted, by its identity; nil if all are.
        let onlyRoute: String?
        /// Whether secrets are read; not where nobody asks policies, or compares anything.
        let readsSecrets: Bool
        /// Whether a stage looks into the processes of peers.
        var looksIntoPeers = false
        /// The parameters in the templates of the route that is decoded.
        var placeholders: [(name: String, place: Place)] = []
        /// Whether a stage has asked for its route or for other keys of it, so that it is the stage of this route only.
        fileprivate(set) var isRouteAsked = false

        init(
            faults: FaultList, logger: Logger, ownSchemes: [String], knowsAllSchemes: Bool, isComplete: Bool,
            callbackRules: CallbackRules, limits: Limits, paths: NamedPaths, runners: ProgramRunners,
            service: ServiceUnit? = nil, onlyRoute: String? = nil, readsSecrets: Bool = true
        ) {
            self.faults = faults
            self.logger = logger
            self.ownSchemes = ownSchemes
            self.knowsAllSchemes = knowsAllSchemes
            self.isComplete = isComplete
            self.callbackRules = callbackRules
            self.limits = limits
            programs = ProgramNames(paths, service)
            self.runners = runners
            self.service = service
            self.onlyRoute = onlyRoute
            self.readsSecrets = readsSecrets
        }

        /// Tells whether what is decoded is the same wherever the configuration says it again.
        ///
        /// That is so if it knows nothing of its route, and has no fault, which would be told once only.
        func decodesForAllRoutes(_ decode: () -> Void) -> Bool {
            let noteCount = faults.noteCount
            isRouteAsked = false
            decode()
            return !isRouteAsked && faults.noteCount == noteCount
        }
    }

    /// What a stage may know of its route.
    final class RouteFacts: Sendable {
        /// The scheme; nil if it is not known.
        private let scheme: String?
        let pattern: RoutePattern
        let input: Input
        /// What the route says of what runs its programs.
        let runner: RunnerName?
        /// Whether a web page can open its URLs.
        let isPublic: Bool
        /// Whether it stands for routes that are not known, so that nothing can be missing in it.
        let isOpen: Bool

        init(
            scheme: String?, pattern: RoutePattern, input: Input, runner: RunnerName? = nil, isPublic: Bool = false,
            isOpen: Bool = false
        ) {
            self.scheme = scheme
            self.pattern = pattern
            self.input = input
            self.runner = runner
            self.isPublic = isPublic
            self.isOpen = isOpen
        }

        /// The scheme and the pattern.
        var name: String { "\(scheme ?? "*"):\(pattern.text)" }
    }

    /// The stage's name.
    let name: String
    /// Where the name stands.
    let place: Place
    /// What stands under the name; nil for a plain word.
    let node: Node?
    /// What it is to its route.
    let kind: ProgramStage.Kind
    /// Its position among the stages of its kind that the route has.
    let position: Int
    let surroundings: Surroundings
    private let facts: RouteFacts
    private let reader: MappingReader?

    /// Creates what a stage is decoded from.
    ///
    /// - Parameters:
    ///   - name: The stage's name.
    ///   - place: Where the name stands.
    ///   - node: What stands under the name; nil for a plain word.
    ///   - kind: What it is to its route.
    ///   - position: Its position among the stages of its kind.
    ///   - surroundings: What the configuration says of all routes.
    ///   - route: What it may know of its route.
    ///   - keys: The keys of the route, if it is a handler.
    init(
        name: String, place: Place, node: Node?, kind: ProgramStage.Kind, position: Int, surroundings: Surroundings,
        route: RouteFacts, keys: MappingReader? = nil
    ) {
        self.name = name
        self.place = place
        self.node = node
        self.kind = kind
        self.position = position
        self.surroundings = surroundings
        facts = route
        reader = keys
    }

    /// What it may know of its route; what asks is the stage of this route only.
    var route: RouteFacts {
        surroundings.isRouteAsked = true
        return facts
    }

    /// The keys of the route, of which a handler may have some beside its own name; nil for other stages.
    ///
    /// What asks is the stage of this route only.
    var keys: MappingReader? {
        surroundings.isRouteAsked = true
        return reader
    }

    /// The stage itself, by which its programs are told from those of other stages.
    var programStage: ProgramStage {
        ProgramStage(kind: kind, position: position, route: route.identity, routeName: route.name)
    }

    /// Where faults are reported.
    var faults: FaultList { surroundings.faults }

    /// The value under the name; reports when the stage is written as a plain word.
    func requiredNode(_ expectation: String) -> Node? {
        if let node { return node }
        faults.report("expected \(expectation) after '\(name):'", at: place)
        return nil
    }

    /// Reports a value under a stage that takes none.
    func refuseNode() {
        guard let node, !node.isNull else { return }
        faults.report("expected nothing after '\(name)', found \(node.found)", at: node.place)
    }
}

extension StageSource.RouteFacts {
    /// What tells the route from the others of the configuration.
    var identity: String { Route.identity(name: name, pattern: pattern, input: input) }

    /// Whether a parameter has a list of values: a wildcard of the pattern, or declared as a list.
    func isList(_ name: String) -> Bool {
        pattern.captures.first(named: name)?.isWildcard == true
            || input.declarations.first(named: name)?.rule.isList == true
    }

    /// Whether every request that reaches the handler has a placeholder's value: a capture outside of groups, or a parameter
    /// that must be given or has a default.
    func isCertain(_ placeholder: Template.Part) -> Bool {
        guard case .parameter(let bytes, _, _) = placeholder else { return false }
        let name = String(decoding: bytes, as: UTF8.self)
        if let capture = pattern.captures.first(named: name) { return !capture.isOptional }
        return input.declarations.first(named: name).map { $0.rule.isRequired || $0.rule.defaultTexts != nil } ?? false
    }

    /// The parameters that the route knows: the captures, then those that are declared.
    var parameterNames: [String] {
        let others = input.declarations.filter { pattern.captures.first(named: $0.name) == nil }
        return pattern.captures.map(\.name) + others.map(\.name)
    }

    /// The end of a message on a parameter that is not declared: one that is, with nearly the same name.
    func nearMissHint(_ name: String) -> String {
        if isOpen || declares(name) { return "" }
        // `:note-id` is a capture of `note`, and a text.
        if let word = name.split(separator: "-").first, word.count < name.count,
            pattern.text.split(whereSeparator: { "/{}".contains($0) }).contains(where: { $0.hasSuffix(":\(name)") })
        {
            return ": ':\(name)' in the pattern captures '\(word)'; write ':\"\(name)\"'"
        }
        let meant = parameter(meantBy: name) ?? name.nearest(among: parameterNames)
        return meant.map { "; did you mean '{\($0)}'?" } ?? ""
    }

    /// Whether a request can have a parameter.
    func canHave(_ name: String) -> Bool { !input.isStrict || declares(name) }

    /// Whether a parameter is a capture or declared.
    func declares(_ name: String) -> Bool {
        pattern.captures.first(named: name) != nil || input.declarations.first(named: name) != nil
    }
}
