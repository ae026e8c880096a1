import XCallbackConfiguration
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

/// Decodes the stages of one kind: built-in stages, and those that a configuration defines.
struct StageDecoder<Stage: Sendable> {
    private struct Definition {
        let place: Place
        let nodes: [Node]
        var isUsed = false
    }

    private let kind: ProgramStage.Kind
    private let builtIn: [String: StageType<Stage>]
    private let surroundings: StageSource.Surroundings
    private var definitions: [String: Definition] = [:]

    private var faults: FaultList { surroundings.faults }

    init(
        of kind: ProgramStage.Kind, _ builtIn: [String: StageType<Stage>],
        _ surroundings: StageSource.Surroundings
    ) {
        self.kind = kind
        self.builtIn = builtIn
        self.surroundings = surroundings
    }

    /// Adds the stages that a file defines for use in all files.
    mutating func define(_ members: [Node.Member]) {
        for member in members {
            if builtIn[member.key] != nil {
                faults.report("\(member.key.quoted) is built in and cannot be defined", at: member.place)
            } else if let first = definitions[member.key] {
                faults.report(
                    "\(kind.rawValue) \(member.key.quoted) is defined twice", at: member.place,
                    other: Fault.Other("the first is", at: first.place))
            } else {
                definitions[member.key] = Definition(place: member.place, nodes: Array(member.value.elements))
            }
        }
    }

    /// Decodes a list of stages; each is a word, or a mapping of words to settings.
    ///
    /// - Parameters:
    ///   - nodes: The stages.
    ///   - route: The route facts for the stages.
    ///   - content: The hash to which the text of the stages and of their definitions is added.
    /// - Returns: The stages without faults.
    mutating func decode(
        _ nodes: [Node], for route: StageSource.RouteFacts, into content: inout ContentHash
    ) -> [NamedStage<Stage>] {
        content.combine(nodes.count)
        var stages: [NamedStage<Stage>] = []
        decode(nodes, for: route, to: &stages, into: &content)
        return stages
    }

    /// Decodes the definitions that no route uses, to report their faults.
    mutating func checkUnused(for route: StageSource.RouteFacts) {
        for definition in definitions.values where !definition.isUsed {
            var (stages, content) = ([NamedStage<Stage>](), ContentHash())
            decode(definition.nodes, for: route, inDefinition: true, to: &stages, into: &content)
        }
    }

    /// Decodes stages; definitions contain only built-in stages, so a definition cannot contain itself.
    private mutating func decode(
        _ nodes: [Node], for route: StageSource.RouteFacts, inDefinition: Bool = false,
        to stages: inout [NamedStage<Stage>], into content: inout ContentHash
    ) {
        for node in nodes {
            for (name, place, value) in node.stageWords(faults) {
                guard let definition = definitions[name] else {
                    content.combine(name)
                    value?.hashContent(into: &content)
                    if let stage = decode(name, place, value, at: stages.count, for: route) { stages.append(stage) }
                    continue
                }
                if inDefinition {
                    faults.report(
                        "\(name.quoted) is a definition itself: a definition can only use what is built in", at: place)
                    continue
                }
                if let value, !value.isNull {
                    faults.report("expected nothing after \(name.quoted), found \(value.found)", at: value.place)
                }
                if !definition.isUsed { definitions[name]?.isUsed = true }
                decode(definition.nodes, for: route, inDefinition: true, to: &stages, into: &content)
            }
        }
    }

    private func decode(
        _ name: String, _ place: Place, _ value: Node?, at position: Int, for route: StageSource.RouteFacts
    ) -> NamedStage<Stage>? {
        guard let type = builtIn[name] else {
            // A file that could not be read might define it.
            guard surroundings.isComplete else { return nil }
            faults.report("unknown \(kind.rawValue) \(name.quoted)\(hint(for: name, value))", at: place)
            return nil
        }
        return type.decode(
            StageSource(
                name: name, place: place, node: value, kind: kind, position: position, surroundings: surroundings,
                route: route))
    }
}

extension StageDecoder {
    /// Returns the likely intended name for an unknown stage name.
    private func hint(for name: String, _ value: Node?) -> String {
        let (isPolicy, isMiddleware) = (Registry.policies[name] != nil, Registry.middleware[name] != nil)
        if isPolicy != isMiddleware {
            return
                ": it is \(isPolicy ? "a policy, which belongs under 'policies'" : "middleware, which belongs under 'middleware'")"
        }
        let suggestion = name.suggestion(among: builtIn.keys.sorted() + definitions.keys.sorted(), areKeys: true)
        // Within braces, a comma separates stages.
        let isCut = suggestion.isEmpty && value?.isNull == true
        return isCut ? ": write several values of a \(kind.rawValue) as a list, [a, b]" : suggestion
    }
}

extension Node {
    /// The stages in an element: a word without settings, or each member of a mapping.
    fileprivate func stageWords(_ faults: FaultList) -> [(name: String, place: Place, value: Node?)] {
        if case .mapping(let members) = content { return members.map { ($0.key, $0.place, $0.value) } }
        return string(faults).map { [($0, place, nil)] } ?? []
    }
}

/// A stage that a configuration can name; decodes its own settings.
protocol ConfiguredStage: Stage {
    /// What the rest of the configuration must know about the stage; by default nothing.
    var facts: StageFacts { get }

    /// Decodes the stage; nil after a fault.
    init?(_ source: StageSource)
}

extension ConfiguredStage {
    var facts: StageFacts { StageFacts() }
}

/// The decoding of a stage type.
struct StageType<Stage: Sendable>: Sendable {
    /// Decodes a stage; nil after a fault.
    let decode: @Sendable (StageSource) -> NamedStage<Stage>?

    private init<Configured: ConfiguredStage>(
        _ type: Configured.Type, _ stage: @escaping @Sendable (Configured) -> Stage
    ) {
        decode = { source in
            type.init(source).map { NamedStage(stage($0), name: source.name, facts: $0.facts) }
        }
    }
}

extension StageType<Route.MiddlewareStage> {
    init(_ type: (some ConfiguredStage & Middleware).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & HostedMiddleware).Type) { self.init(type) { .asynchronous($0) } }
}

extension StageType<Route.PolicyStage> {
    init(_ type: (some ConfiguredStage & Policy).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & AsyncPolicy).Type) { self.init(type) { .asynchronous($0) } }
}

extension StageType<Route.HandlerStage> {
    init(_ type: (some ConfiguredStage & Handler).Type) { self.init(type) { .immediate($0) } }
    init(_ type: (some ConfiguredStage & HostedHandler).Type) { self.init(type) { .asynchronous($0) } }
    init(_ type: (some ConfiguredStage & DeliveringHandler).Type) { self.init(type) { .delivering($0) } }
}

extension CallbackError {
    /// Returns the error that a client sees if a policy rejects its request.
    ///
    /// - Parameters:
    ///   - policy: The name of the policy.
    ///   - reason: The reason, without a full stop and without a value from the request.
    /// - Returns: The error.
    static func refusal(by policy: String, _ reason: String) -> CallbackError {
        CallbackError(.refused, "Policy '\(policy)' refuses the request: \(reason).")
    }

    /// Returns the error that a client sees if a policy fails; the log has the cause.
    static func failure(of policy: String) -> CallbackError {
        CallbackError(.internalFailure, "Policy '\(policy)' failed.")
    }
}
