import Glibc
import Logging
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// What a stage may know of its route when it is decoded.
///
/// Routes whose declarations and captures are equal share their stages, so neither the address nor the identity is here: a
/// stage asks the route of the request for those (`Request.matchedRoute`).
struct StageRoute {
    /// The captures of the pattern.
    var captures: [CaptureName] = []
    /// The syntax of the URLs.
    var syntax = URLSyntax.callback
    /// The declared parameters.
    var input = Input([])
    /// The text for menus and questions.
    var title: String?
    /// The runner that the route sets for its programs.
    var runner: RunnerName?
    /// Whether a web page can open its URLs.
    var isPublic = false
    /// Whether it stands for unknown routes, so that no parameter counts as missing.
    var isOpen = false

    /// A route for stages that no route uses yet.
    static let any = StageRoute(captures: RoutePattern.noRoute.captures, isOpen: true)
}

extension RoutePattern {
    /// The pattern of requests without a route, which names them in the log.
    static let noRoute = RoutePattern(capturesOf: "/*action")
}

extension StageRoute {
    /// Whether a parameter is a list: a wildcard of the pattern, or declared as a list.
    func isList(_ name: String) -> Bool {
        captures.first(named: name)?.isWildcard == true || input.declarations.first(named: name)?.rule.isList == true
    }

    /// The names of the route's parameters: the captures, then the other declared parameters.
    var parameterNames: [String] {
        captures.map(\.name) + input.declarations.map(\.name).filter { captures.first(named: $0) == nil }
    }

    /// Returns the end of a message about an undeclared parameter: a declared one with a similar name.
    func nearMissHint(_ name: String) -> String {
        if isOpen || declares(name) { return "" }
        // `:note-id` is the capture `note`, followed by text.
        if let word = name.split(separator: "-").first, word.count < name.count,
            captures.first(named: String(word)) != nil
        {
            return ": ':\(name)' in a pattern captures '\(word)'; write ':\"\(name)\"'"
        }
        return name.nearest(among: parameterNames).map { "; did you mean '{\($0)}'?" } ?? ""
    }

    /// Whether a request can have a parameter.
    func canHave(_ name: String) -> Bool { !input.isStrict || declares(name) }

    /// Whether a parameter is a capture or declared.
    func declares(_ name: String) -> Bool {
        captures.first(named: name) != nil || input.declarations.first(named: name) != nil
    }
}

/// The input for decoding a stage: its declaration, and information about the configuration and the route.
package struct StageSource {
    /// The stage as the configuration declares it.
    let stage: StageDeclaration
    /// The kind of the stage.
    let kind: ProgramStage.Kind
    /// The position among the route's stages of the same kind.
    var position = 0
    /// The settings that all routes share.
    let context: LoadContext
    /// Information about the route.
    let route: StageRoute
    /// The keys of the route, because a handler can have keys beside its own name; nil for other stages.
    var keys: MappingReader?

    /// The stage's name.
    var name: String { stage.name }

    /// The place of the name.
    var place: Place { stage.place }

    /// The value under the name; nil for a plain word.
    var node: Node? { stage.node }

    /// The place of the stage in the configuration, which distinguishes its programs from those of other stages.
    var programStage: ProgramStage {
        ProgramStage(
            kind: kind, position: position, files: context.dropInFiles, isOwnChild: route.runner == .spawn)
    }

    /// Receives faults.
    var faults: FaultList { context.faults }

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

extension StageSource {
    /// Returns the client name or topic that a handler delivers or publishes to; nil after a fault.
    func clientName(_ expectation: String) -> String? {
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
