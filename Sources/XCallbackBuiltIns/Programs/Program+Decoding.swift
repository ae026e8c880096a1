import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

extension Program {
    /// The keys of a route for the program of its handler.
    static let keys = ["allow-code", "cwd", "env"]

    /// Decodes a program and its arguments.
    ///
    /// - Parameters:
    ///   - node: The list of the program and its arguments.
    ///   - source: The stage that runs it.
    ///   - use: What the stage does with it.
    ///   - readsInput: Whether the declared parameters are decoded at that time; otherwise they do not have their
    ///     declared types yet.
    init?(_ node: Node?, _ source: StageSource, for use: Use, readsInput: Bool = true) {
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
            if argument.literal == Array("--".utf8) {
                isOperand = true
            } else if isOperand, ProgramCode(arguments).innerProgram == arguments.count - 1 {
                // It ended the options of the program that starts this one.
                isOperand = false
            }
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
        let context = source.context
        self.init(
            arguments.map(\.programText), ProgramEnvironment(source, at: place, readsInput: readsInput),
            of: source.programStage, for: use, runners: context.options.runners, source.route.runner,
            atMost: context.limits.processesPerRoute, logger: context.options.logger)
        folder = source.keys?.node("cwd").flatMap { context.programs.folder($0, source) }
        if readsInput { kinds = ParameterKinds(source.route) }
        outputLimit = context.limits.output
    }
}

extension ArgumentTemplate {
    /// The text that a program gets.
    fileprivate var programText: ProgramText {
        ProgramText(literal: literal) { request throws(CallbackError) in try text(for: request) }
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
        } else if let program = source.context.programs.program(word, at: first.place, source.faults),
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
    package var lineText: String { if case .scalar(let scalar) = content { scalar.text } else { "" } }
}

extension ProgramEnvironment {
    /// Decodes the variables that a route sets for the program of its handler (`env`), and reports parameters whose
    /// variables have the same name.
    ///
    /// - Parameters:
    ///   - source: The stage that runs the program.
    ///   - place: The place of the program.
    ///   - readsInput: Whether the declared parameters are decoded at that time; otherwise the environment has only
    ///     captures.
    init(_ source: StageSource, at place: Place, readsInput: Bool) {
        var names: [String: String] = [:]
        let parameterNames =
            readsInput ? source.route.parameterNames : source.route.captures.map(\.name)
        self.init(
            parameterNames.compactMap { name in
                let variable = Variable.name(ofParameter: name)
                if let other = names.updateValue(name, forKey: variable) {
                    source.faults.report(
                        "the parameters \(other.quoted) and \(name.quoted) would both be \(variable) in the "
                            + "environment of the program: rename one", at: place)
                    return nil
                }
                let isList = source.route.isList(name)
                let part = Template.Part.parameter(name: Array(name.utf8), isList: isList, isOptional: true)
                return Variable(ofParameter: name) { request throws(CallbackError) in try part.variable(for: request) }
            },
            chosen: source.keys?.members("env", such: "{ NAME: value }")?.compactMap {
                Variable($0, allowsCode: source.allowsCode, source)
            } ?? [])
    }
}

extension ProgramEnvironment.Variable {
    /// Variables that determine other code to run or load, as listed in Docs/Reference/Programs.md; the second list has
    /// prefixes of names.
    private static let codeNames = [
        "PATH", "ENV", "BASH_ENV", "SHELLOPTS", "IFS", "PS4", "ZDOTDIR", "FPATH", "GCONV_PATH", "PERLLIB", "PHPRC",
        "PHP_INI_SCAN_DIR", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "TCLLIBPATH",
    ]
    private static let codePrefixes = ["LD_", "PYTHON", "PERL5", "RUBY", "NODE_", "LUA_", "GIT_"]

    private static func isCode(_ name: String) -> Bool {
        codeNames.contains(name) || codePrefixes.contains { name.hasPrefix($0) }
    }

    /// The variable of this kind that the literal beginning of an argument sets: `NAME=`, `--setenv=NAME=`.
    static func codeName(setBy beginning: String) -> String? {
        beginning.split(separator: "=", omittingEmptySubsequences: false).dropLast().map(String.init).first(
            where: isCode)
    }

    /// Decodes a variable; reports one that no program can have, or that a request must not change.
    fileprivate init?(_ member: Node.Member, allowsCode: Bool, _ source: StageSource) {
        let (name, faults) = (member.key, source.faults)
        guard name.first?.isNumber == false, name.variableName == name.uppercased() else {
            faults.report(
                "expected the name of a variable: letters, digits and '_', and no digit first, found \(name.quoted)",
                at: member.place)
            return nil
        }
        guard !name.hasPrefix("XCALLBACK_") else {
            faults.report("\(name.quoted) is reserved for the daemon: choose another name", at: member.place)
            return nil
        }
        guard let value = ArgumentTemplate(member.value, isOperand: true, readsInput: true, source) else { return nil }
        if value.literal?.contains(0) == true {
            faults.report("a variable cannot hold a NUL", at: value.place)
        }
        if value.literal == nil, Self.isCode(name), !allowsCode {
            faults.report("what \(name.quoted) makes programs run or load cannot come from a request", at: value.place)
        }
        self.init(name, value.programText)
    }
}

extension Template.Part {
    /// Returns the text of a variable, which is empty for an empty list; nil if the part is absent.
    ///
    /// - Throws: ``CallbackError`` 422 if a parameter that is not a list occurs more than once.
    fileprivate func variable(for request: borrowing Request) throws(CallbackError) -> [UInt8]? {
        var isPresent = false
        forEachItem(request) { _, _ in isPresent = true }
        guard isPresent else { return nil }
        var text = ByteBuffer()
        try append(request, to: &text, joinedBy: UInt8(ascii: "/"))
        return text.contents
    }
}

extension ProgramAnswer {
    /// Decodes the meaning of a program's end: the keys `output` and `cancel-status` of its route.
    ///
    /// - Parameters:
    ///   - source: The stage that runs it.
    ///   - isDetached: Whether the program is detached, so that nothing reads its output.
    init(_ source: StageSource, isDetached: Bool) {
        self.init(
            source.keys?.choice("output", of: ProgramOutput.self) ?? (isDetached ? .none : .text),
            cancelStatus: source.keys?.integer("cancel-status", in: 1...255) ?? Self.defaultCancelStatus,
            outputLimit: source.context.limits.output)
        if isDetached, let place = source.keys?.keyPlace("output") {
            source.faults.report("nothing reads the output of a detached program: leave 'output' out", at: place)
        }
    }
}

extension Program {
    /// Decodes a question for `xcallback ask`; each value in it becomes a separate argument.
    ///
    /// - Parameters:
    ///   - template: The question.
    ///   - place: The place of its text.
    ///   - isWhole: Whether it shows long values whole.
    ///   - source: The stage that asks.
    init?(asking template: Template, at place: Place, isWhole: Bool, _ source: StageSource) {
        guard !template.parts.isEmpty else {
            source.faults.report("expected a question, found an empty text", at: place)
            return nil
        }
        var text: [UInt8] = []
        var values: [Template.Part] = []
        for part in template.parts {
            if case .literal(let words) = part {
                text += Question.written(words)
            } else {
                text += Question.placeholder
                values.append(part)
                if source.route.mayHavePassword(part) {
                    source.faults.report(
                        "a question cannot show a URL's password: expected parts such as {@user} and {@host}",
                        at: place)
                }
            }
        }
        self.init(asking: text, values, isWhole ? ["--whole"] : [], source, for: .status, at: place)
    }

    /// Creates the program that asks the question of a request, and then for its missing values; it reads both as a part of
    /// the request (``LinkForm``).
    ///
    /// - Parameter source: The stage that asks.
    init(filling source: StageSource) {
        self.init(asking: Array("-".utf8), [], ["--form"], source, for: .output, at: source.place, readsInput: false)
    }

    private init(
        asking text: [UInt8], _ values: [Template.Part], _ options: [String], _ source: StageSource, for use: Use,
        at place: Place, readsInput: Bool = true
    ) {
        source.context.programs.check(Self.askingProgram, at: place, source.faults)
        let title = source.route.title.map { ["--title=\($0)"] } ?? []
        let words = ([Self.askingProgram, "ask"] + title + options + ["--"]).map { Array($0.utf8) } + [text]
        self.init(
            (words.map { .literal($0) } + values).map { ArgumentTemplate([$0], isOperand: true, at: place, source) },
            source, for: use, at: place, readsInput: readsInput)
    }

    /// Returns the question that the user would see for a request, on one line; nil if no command can be made.
    func question(for request: Request) -> String? {
        guard let command = try? command(for: request) else { return nil }
        let words = command.words.drop { $0 != "--" }.dropFirst()
        return try? Question(words.first ?? "", Array(words.dropFirst())).line
    }

    /// The command of this version, beside the daemon; if it does not exist, the one in `PATH`.
    private static var askingProgram: String {
        let name = "xcallback"
        guard let own = try? programPath() else { return name }
        let path = String(decoding: own.prefix((own.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1), as: UTF8.self) + name
        return ProgramFolders().path(of: path) ?? name
    }
}

extension StageRoute {
    /// Whether a part of a template is the password of a URL, or a URL that may have one.
    fileprivate func mayHavePassword(_ part: Template.Part) -> Bool {
        guard syntax == .url, declares(RequestFact.password.parameterName) else { return false }
        if case .fact(.url) = part { return true }
        return part.name == RequestFact.password.parameterName
    }
}

extension ParameterKinds {
    /// Creates the kinds from the declarations of a route.
    init(_ route: StageRoute) {
        self.init(
            types: route.input.declarations.map { ($0.name, $0.rule.type) },
            lists: route.parameterNames.filter { route.isList($0) })
    }
}
