import XCallbackConfiguration
import XCallbackPrograms

/// A stage as a configuration declares it: its name, and the value under the name.
struct StageDeclaration {
    /// The name.
    let name: String
    /// The place of the name.
    let place: Place
    /// The value under the name; nil for a plain word.
    let node: Node?
}

extension [StageDeclaration] {
    /// Appends the content of the stages to a text, without their places.
    func appendContent(to content: inout [UInt8]) {
        for stage in self {
            content.append(content: stage.name)
            stage.node?.appendContent(to: &content)
        }
        content.append(Node.endOfContent)
    }
}

/// Reads lists of stages of one kind, and replaces each name that a configuration defines by the stages of its definition.
struct StageListReader {
    private struct Definition {
        let place: Place
        let nodes: [Node]
        var isUsed = false
    }

    private let kind: ProgramStage.Kind
    private let builtIn: Set<String>
    private let context: LoadContext
    private var definitions: [String: Definition] = [:]

    private var faults: FaultList { context.faults }

    init(of kind: ProgramStage.Kind, _ builtIn: some Sequence<String>, _ context: LoadContext) {
        self.kind = kind
        self.builtIn = Set(builtIn)
        self.context = context
    }

    /// Adds the stages that a file defines for use in all files.
    mutating func define(_ members: [Node.Member]) {
        for member in members {
            if builtIn.contains(member.key) {
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

    /// Adds the definitions of each file to its names.
    func addNames(to names: inout [String: DropInNames]) {
        for (name, definition) in definitions { names[definition.place.file, default: DropInNames()].add(kind, name) }
    }

    /// Reads a list of stages; each is a word, or a mapping of words to settings.
    ///
    /// - Parameter list: The list, or its only stage; nil for an empty one.
    /// - Returns: The stages, all of which are built in.
    mutating func stages(in list: Node?) -> [StageDeclaration] {
        list.map { stages(in: $0.elements, ofDefinition: false) } ?? []
    }

    /// The stages of the definitions that no list contains.
    mutating func unusedStages() -> [StageDeclaration] {
        definitions.values.filter { !$0.isUsed }.flatMap { stages(in: $0.nodes, ofDefinition: true) }
    }

    /// Reads stages; definitions contain only built-in stages, so a definition cannot contain itself.
    private mutating func stages(in nodes: [Node], ofDefinition isInDefinition: Bool) -> [StageDeclaration] {
        var stages: [StageDeclaration] = []
        for stage in nodes.flatMap({ $0.stageWords(faults) }) {
            if let unserved = context.options.unserved, let file = unserved.file(defining: kind, stage.name) {
                faults.report(
                    "\(kind.rawValue) \(stage.name.quoted) is defined in \(file.quoted), which has faults",
                    at: stage.place, unread: unserved.error.mayPass ? .missing : nil)
                continue
            }
            guard let definition = definitions[stage.name] else {
                if builtIn.contains(stage.name) {
                    stages.append(stage)
                } else if context.isComplete {
                    // Otherwise, a file that could not be read might define it.
                    faults.report("unknown \(kind.rawValue) \(stage.name.quoted)\(hint(for: stage))", at: stage.place)
                }
                continue
            }
            if isInDefinition {
                faults.report(
                    "\(stage.name.quoted) is a definition itself: a definition can only use what is built in",
                    at: stage.place)
                continue
            }
            if let value = stage.node, !value.isNull {
                faults.report("expected nothing after \(stage.name.quoted), found \(value.found)", at: value.place)
            }
            definitions[stage.name]?.isUsed = true
            stages += self.stages(in: definition.nodes, ofDefinition: true)
        }
        return stages
    }

    /// Returns the likely intended name for an unknown stage.
    private func hint(for stage: StageDeclaration) -> String {
        let (isPolicy, isMiddleware) = (Registry.policies[stage.name] != nil, Registry.middleware[stage.name] != nil)
        if isPolicy != isMiddleware {
            return
                ": it is \(isPolicy ? "a policy, which belongs under 'policies'" : "middleware, which belongs under 'middleware'")"
        }
        let suggestion = stage.name.suggestion(among: builtIn.sorted() + definitions.keys.sorted(), areKeys: true)
        // Within braces, a comma separates stages.
        let isCut = suggestion.isEmpty && stage.node?.isNull == true
        return isCut ? ": write several values of a \(kind.rawValue) as a list, [a, b]" : suggestion
    }
}

extension Node {
    /// The stages in an element: a word without settings, or each member of a mapping.
    fileprivate func stageWords(_ faults: FaultList) -> [StageDeclaration] {
        if case .mapping(let members) = content {
            return members.map { StageDeclaration(name: $0.key, place: $0.place, node: $0.value) }
        }
        return string(faults).map { [StageDeclaration(name: $0, place: place, node: nil)] } ?? []
    }
}
