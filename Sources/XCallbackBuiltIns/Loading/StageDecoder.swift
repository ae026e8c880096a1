import XCallbackConfiguration
import XCallbackPipeline
import XCallbackPrograms

/// Decodes the stages of one kind: those that are built in, and those that a configuration defines.
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
    /// The lists that are the same wherever the configuration says them.
    private var lists = StageCache<StageList<Stage>>()

    private var faults: FaultList { surroundings.faults }

    init(
        of kind: ProgramStage.Kind, _ builtIn: [String: StageType<Stage>],
        _ surroundings: StageSource.Surroundings
    ) {
        self.kind = kind
        self.builtIn = builtIn
        self.surroundings = surroundings
    }

    /// Takes the stages that a file names for use in all files.
    mutating func define(_ members: [Node.Member]) {
        for member in members {
            if builtIn[member.key] != nil {
                faults.report("\(member.key.quoted) is built in and cannot be defined", at: member.place)
            } else if let first = definitions[member.key] {
                faults.report(
                    "\(kind.rawValue) \(member.key.quoted) is defined twice", at: member.place,
                    other: Fault.Other("the first is", at: first.place))
            } else {
                definitions[member.key] = Definition(place: member.place, nodes: member.value.elements)
            }
        }
    }

    /// Decodes a list of stages; each is a word, or a mapping of words to their settings.
    ///
    /// - Parameters:
    ///   - nodes: The stages.
    ///   - route: What they may know of their route.
    /// - Returns: Those that have no fault; the same list for all routes that say the same, unless it depends on them.
    mutating func decode(_ nodes: [Node], for route: StageSource.RouteFacts) -> StageList<Stage> {
        let text = StageText(nodes: nodes)
        if let known = lists[text] { return known }
        let list = decodeAnew(nodes, for: route)
        if list.isShared { lists.add(list, for: text) }
        return list
    }

    private mutating func decodeAnew(_ nodes: [Node], for route: StageSource.RouteFacts) -> StageList<Stage> {
        var content = Hasher()
        content.combine(nodes.count)
        var stages: [NamedStage<Stage>] = []
        let isShared = surroundings.decodesForAllRoutes {
            stages = decode(nodes, for: route, from: 0, into: &content)
        }
        return StageList(stages, contentHash: content.finalize(), isShared: isShared)
    }

    /// Decodes stages; those of a definition are built in all, so none can lead back to itself.
    private mutating func decode(
        _ nodes: [Node], for route: StageSource.RouteFacts, from start: Int, inDefinition: Bool = false,
        into content: inout Hasher
    ) -> [NamedStage<Stage>] {
        var stages: [NamedStage<Stage>] = []
        for node in nodes {
            for (name, place, value) in node.stageWords(faults) {
                let position = start + stages.count
                guard let definition = definitions[name] else {
                    if let stage = decode(name, place, value, for: route, at: position, into: &content) {
                        stages.append(stage)
                    }
                    continue
                }
                if inDefinition {
                    faults.report(
                        "\(name.quoted) is defined itself: a definition holds what is built in only", at: place)
                    continue
                }
                if let value, !value.isNull {
                    faults.report("expected nothing after \(name.quoted), found \(value.found)", at: value.place)
                }
                if !definition.isUsed { definitions[name]?.isUsed = true }
                stages += decode(definition.nodes, for: route, from: position, inDefinition: true, into: &content)
            }
        }
        return stages
    }

    /// Decodes what no route uses, for its faults.
    mutating func checkUnused(for route: StageSource.RouteFacts) {
        for definition in definitions.values where !definition.isUsed {
            var content = Hasher()
            _ = decode(definition.nodes, for: route, from: 0, inDefinition: true, into: &content)
        }
    }

    private func decode(
        _ name: String, _ place: Place, _ value: Node?, for route: StageSource.RouteFacts, at position: Int,
        into content: inout Hasher
    ) -> NamedStage<Stage>? {
        guard let type = builtIn[name] else {
            // What cannot be read might define it.
            guard surroundings.isComplete else { return nil }
            faults.report("no \(kind.rawValue) is called \(name.quoted)\(hint(for: name, value))", at: place)
            return nil
        }
        content.combine(name)
        value?.hashContent(into: &content)
        let source = StageSource(
            name: name, place: place, node: value, kind: kind, position: position, surroundings: surroundings,
            route: route)
        return type.decode(source).map { NamedStage($0, name: name, traits: type.traits) }
    }
}

extension StageDecoder {
    /// What was likely meant by a name that no stage has.
    private func hint(for name: String, _ value: Node?) -> String {
        let (isPolicy, isMiddleware) = (Registry.policies[name] != nil, Registry.middleware[name] != nil)
        if isPolicy != isMiddleware {
            return
                ": it is \(isPolicy ? "a policy, which stands under 'policies'" : "middleware, which stands under 'middleware'")"
        }
        let suggestion = name.suggestion(among: builtIn.keys.sorted() + definitions.keys.sorted(), areKeys: true)
        // Within braces a comma begins another stage.
        let isCut = suggestion.isEmpty && value?.isNull == true
        return isCut ? ": several values of a \(kind.rawValue) are a list, [a, b]" : suggestion
    }
}

extension Node {
    /// The elements of a list, or the node itself.
    var elements: [Node] {
        if case .sequence(let elements) = content { elements } else { [self] }
    }

    /// The stages that an element names: a word without settings, or each member of a mapping.
    fileprivate func stageWords(_ faults: FaultList) -> [(name: String, place: Place, value: Node?)] {
        if case .mapping(let members) = content { return members.map { ($0.key, $0.place, $0.value) } }
        return string(faults).map { [($0, place, nil)] } ?? []
    }
}
