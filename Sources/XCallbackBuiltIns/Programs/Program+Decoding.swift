import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackPrograms
import XCallbackURL

extension Program {
    /// Decodes a program and its arguments.
    ///
    /// - Parameters:
    ///   - node: The list of the program and its arguments.
    ///   - source: The stage that runs it.
    ///   - use: What the stage does with it.
    ///   - readsInput: Whether the declared parameters are decoded at that time; otherwise they do not have their
    ///     declared types yet.
    init?(_ node: Node?, _ source: StageSource, for use: Use, readsInput: Bool = true) {
        // Reads these keys first, so that they do not count as unknown despite any fault in the program.
        for key in ["allow-code", "cwd", "env"] { _ = source.keys?.node(key) }
        guard let node, case .sequence(let elements) = node.content else {
            var found = node.map { ", found \($0.found)" } ?? ""
            if case .scalar(let scalar)? = node?.content, !scalar.isNull, scalar.text.contains(where: { $0 != " " }) {
                found += ": \(ProgramCode.lineAdvice)"
            }
            source.faults.report(
                "expected a list of a program and its arguments, such as [notes, add, --, \"{text}\"]\(found)",
                at: node?.place ?? source.place)
            return nil
        }
        var arguments: [ArgumentTemplate] = []
        var (isOperand, isCode) = (false, false)
        for element in elements {
            guard
                let argument = ArgumentTemplate(
                    element, isOperand: isOperand, isCode: isCode, readsInput: readsInput, source)
            else { continue }
            arguments.append(argument)
            if argument.literal == Array("--".utf8) { isOperand = true }
            // Only an option can announce code.
            isCode = argument.literal?.first == UInt8(ascii: "-") && ProgramCode(arguments).announcesCode
        }
        if arguments.count == elements.count { arguments.resolveName(node, source) }
        self.init(arguments, source, for: use, at: node.place, readsInput: readsInput)
        guard arguments.count == elements.count else { return nil }
        let code = ProgramCode(arguments)
        if !source.allowsCode { code.check(source.faults) }
        code.warn(elements.map(\.lineText), source)
    }

    /// Creates the program of a stage.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - source: The stage that runs it.
    ///   - use: What the stage does with it.
    ///   - place: The place of the program.
    ///   - readsInput: Whether the declared parameters are decoded at that time.
    init(
        _ arguments: [ArgumentTemplate], _ source: StageSource, for use: Use, at place: Place, readsInput: Bool = true
    ) {
        let (stage, limits) = (source.programStage, source.surroundings.limits)
        self.init(
            arguments.map(\.programText), ProgramEnvironment(source, at: place, readsInput: readsInput),
            in: source.keys?.node("cwd").flatMap { source.surroundings.programs.folder($0, source.faults) },
            readsInput ? ParameterKinds(source.route) : ParameterKinds(), of: stage, for: use,
            runner: source.surroundings.runners[source.route.runner], isOwnChild: source.route.runner == .spawn,
            quota: ChildQuota(group: stage.route, limit: limits.processesPerRoute), outputLimit: limits.output,
            log: ProgramLog(routeName: source.route.name, logger: source.surroundings.logger))
    }
}

extension [ArgumentTemplate] {
    /// Replaces a relative program path by the absolute one; reports a program without a literal name.
    fileprivate mutating func resolveName(_ node: Node, _ source: StageSource) {
        guard let first else {
            return source.faults.report("expected a program and its arguments, found an empty list", at: node.place)
        }
        guard let name = first.literal else {
            let isLine = node.elements.first?.lineText.contains(" ") == true
            let advice = isLine ? ProgramCode.lineAdvice : "write its name"
            return source.faults.report("the program cannot come from a request: \(advice)", at: first.place)
        }
        let word = String(decoding: name, as: UTF8.self)
        if word.isEmpty || word.hasSuffix("/") || name.contains(0) {
            source.faults.report("expected the name of a program, or its path, found \(word.quoted)", at: first.place)
        } else if let program = source.surroundings.programs.program(word, at: first.place, source.faults),
            program != word
        {
            self[0] = ArgumentTemplate([.literal([UInt8](program.utf8))], isOperand: false, at: first.place, source)
        }
    }
}

extension StageSource {
    /// Whether requests may decide what code a program runs: the route's key `allow-code`.
    var allowsCode: Bool { keys?.bool("allow-code") ?? false }
}

extension Node {
    /// A single text as written; empty for a list or a mapping.
    var lineText: String { if case .scalar(let scalar) = content { scalar.text } else { "" } }
}
