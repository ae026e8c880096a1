import Glibc
import Logging
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPipeline
import XCallbackPrograms
import XCallbackRouting
import XCallbackURL

/// The input for decoding a stage: its node, and information about the configuration and the route.
package struct StageSource {
    /// The settings and state that all routes share.
    final class Surroundings {
        let options: LoadOptions
        /// Receives faults.
        let faults: FaultList
        /// The router's schemes.
        let schemes: [SchemeSettings]
        /// Whether `schemes` is complete; otherwise an unknown name may be a scheme that could not be read.
        let knowsAllSchemes: Bool
        /// Whether all files could be read; otherwise an unknown name may be defined in an unreadable file.
        let isComplete: Bool
        /// The paths of the drop-ins.
        let dropInFiles: [String]
        /// The rules for the URLs that receive answers.
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
        /// Whether a stage has used its route, or other keys of the route, since ``decode(_:)`` began.
        fileprivate(set) var isRouteUsed = false

        init(
            options: LoadOptions, faults: FaultList, schemes: [SchemeSettings], knowsAllSchemes: Bool, isComplete: Bool,
            dropInFiles: [String], callbackRules: CallbackRules, limits: Limits, programs: ProgramNames
        ) {
            self.options = options
            self.faults = faults
            self.schemes = schemes
            self.knowsAllSchemes = knowsAllSchemes
            self.isComplete = isComplete
            self.dropInFiles = dropInFiles
            self.callbackRules = callbackRules
            self.limits = limits
            self.programs = programs
        }

        /// The names of the schemes, in lower case.
        var schemeNames: [String] { schemes.map(\.name) }

        /// The syntax of a scheme's URLs.
        func syntax(of scheme: String?) -> URLSyntax {
            schemes.first { $0.name == scheme }?.syntax ?? .callback
        }

        /// Decodes stages, and finds out whether equal text in another route gives the same result.
        ///
        /// This is so if the stages do not use their route, and have no fault, which is reported where it stands.
        func decode<Result>(_ body: () -> Result) -> (result: Result, isForAllRoutes: Bool) {
            let noteCount = faults.noteCount
            isRouteUsed = false
            let result = body()
            return (result, !isRouteUsed && faults.noteCount == noteCount)
        }
    }

    /// Information about a route for its stages.
    struct RouteFacts: Sendable {
        /// The scheme; nil if unknown.
        var scheme: String?
        /// The text for menus and questions.
        var title: String?
        let pattern: RoutePattern
        let input: Input
        /// The runner that the route sets for its programs.
        var runner: RunnerName?
        /// Whether a web page can open its URLs.
        var isPublic = false
        /// Whether it stands for unknown routes, so that no parameter counts as missing.
        var isOpen = false

        /// The scheme and the pattern.
        var name: String { "\(scheme ?? "*"):\(pattern.text)" }
    }

    /// The stage's name.
    let name: String
    /// The place of the name.
    let place: Place
    /// The value under the name; nil for a plain word.
    let node: Node?
    /// The kind of the stage.
    let kind: ProgramStage.Kind
    /// The position among the route's stages of the same kind.
    let position: Int
    let surroundings: Surroundings
    private let ownRoute: RouteFacts
    private let routeKeys: MappingReader?

    /// Information about the route.
    var route: RouteFacts {
        surroundings.isRouteUsed = true
        return ownRoute
    }

    /// The keys of the route, because a handler can have keys beside its own name; nil for other stages.
    var keys: MappingReader? {
        surroundings.isRouteUsed = true
        return routeKeys
    }

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
        ownRoute = route
        routeKeys = keys
    }

    /// The identity of the stage, which distinguishes its programs from those of other stages.
    var programStage: ProgramStage {
        ProgramStage(
            kind: kind, position: position, route: route.identity, routeName: route.name,
            files: surroundings.dropInFiles, isOwnChild: route.runner == .spawn)
    }

    /// Receives faults.
    var faults: FaultList { surroundings.faults }

    /// The place of the value under the name, or of the name.
    var valuePlace: Place { node?.place ?? place }

    /// Returns the value under the name; reports a stage that is written as a plain word.
    func requiredNode(_ expectation: String) -> Node? {
        if let node { return node }
        faults.report("expected \(expectation) after '\(name):'", at: place)
        return nil
    }

    /// Reads one text or a list of texts under the name; reports an empty list.
    func names(_ expectation: String, atLeastOne what: String) -> [String]? {
        guard let node = requiredNode(expectation), let names = node.strings(faults) else { return nil }
        if names.isEmpty { faults.report("expected at least one \(what)", at: node.place) }
        return names
    }
}

extension StageSource.RouteFacts {
    /// The identity of the route within the configuration.
    var identity: String { Route.identity(name: name, pattern: pattern, input: input) }

    /// Whether a parameter is a list: a wildcard of the pattern, or declared as a list.
    func isList(_ name: String) -> Bool {
        pattern.captures.first(named: name)?.isWildcard == true
            || input.declarations.first(named: name)?.rule.isList == true
    }

    /// The names of the route's parameters: the captures, then the other declared parameters.
    var parameterNames: [String] {
        let others = input.declarations.filter { pattern.captures.first(named: $0.name) == nil }
        return pattern.captures.map(\.name) + others.map(\.name)
    }

    /// Returns the end of a message about an undeclared parameter: a declared one with a similar name.
    func nearMissHint(_ name: String) -> String {
        if isOpen || declares(name) { return "" }
        // `:note-id` is the capture `note`, followed by text.
        if let word = name.split(separator: "-").first, word.count < name.count,
            pattern.text.split(whereSeparator: { "/{}".contains($0) }).contains(where: { $0.hasSuffix(":\(name)") })
        {
            return ": ':\(name)' in the pattern captures '\(word)'; write ':\"\(name)\"'"
        }
        return name.nearest(among: parameterNames).map { "; did you mean '{\($0)}'?" } ?? ""
    }

    /// Whether a request can have a parameter.
    func canHave(_ name: String) -> Bool { !input.isStrict || declares(name) }

    /// Whether a parameter is a capture or declared.
    func declares(_ name: String) -> Bool {
        pattern.captures.first(named: name) != nil || input.declarations.first(named: name) != nil
    }
}

extension StageSource {
    /// Returns the client name or topic that a handler delivers or publishes to; nil after a fault.
    func clientName(_ expectation: String) -> String? {
        // Known, even if the policies in it are not decoded because of a fault in the name.
        _ = keys?.node("receivers")
        guard let name = requiredNode(expectation)?.string(faults) else { return nil }
        let isPlain = name.utf8.allSatisfy { isNameByte($0) || "-.".utf8.contains($0) }
        guard isPlain, (1...128).contains(name.utf8.count) else {
            faults.report(
                "expected \(expectation) of letters, digits, '-', '.' and '_', at most 128, found \(name.quoted)",
                at: valuePlace)
            return nil
        }
        return name
    }
}
