import XCallbackConfiguration
import XCallbackPipeline
import XCallbackPrograms
import XCallbackRouting
import XCallbackURL
import XCallbackWire

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
            readsInput ? source.route.parameterNames : source.route.pattern.captures.map(\.name)
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
                return Variable(
                    ofParameter: name,
                    ProgramText { request throws(CallbackError) in try part.variable(for: request) })
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
