import XCallbackConfiguration

/// Keeps requests from writing code: what an interpreter runs is literal.
///
/// It knows shells and the usual interpreters, and the programs that run another one. Where it cannot tell an option's
/// value from a script or a program it takes the cautious view, and a literal `--` ends the doubt.
struct InterpreterRule {
    /// What lets a request decide what a program runs.
    private struct Hazard {
        /// The argument.
        let index: Int
        /// The program.
        let name: String
        /// Whether it runs standard input, which is the request.
        var isInput = false
    }

    /// How far the arguments of a program were read.
    private enum Finding {
        /// An option after which code is expected.
        case codeOption(Int)
        /// A placeholder before the script or the program, or in its place.
        case placeholder(Int)
        /// The script, or the program that is run.
        case operand(Int)
        /// What is read is run.
        case input
        case nothing
    }

    private let arguments: [ArgumentTemplate]
    /// The texts of those that have no placeholders.
    private let words: [String?]

    init(_ arguments: [ArgumentTemplate]) {
        self.arguments = arguments
        words = arguments.map { $0.literal.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// Reports the first placeholder that would be code, or choose it, and an interpreter that would run the request.
    func check(_ faults: FaultList) {
        guard let hazard = hazard(from: 0) else { return }
        let text =
            hazard.isInput
            ? "\(hazard.name.quoted) would run what it reads, and standard input is the request: name a script"
            : "what \(hazard.name.quoted) runs cannot come from a request: put the code into a script of its own, and "
                + "give it the value as an argument (a brace that belongs to the code is written '{{')"
        faults.report(text, at: arguments[hazard.index].place)
    }

    /// What is wrong with the arguments of the program at a position, or of one that this runs.
    private func hazard(from start: Int) -> Hazard? {
        guard start < words.count, let word = words[start] else { return nil }
        let name = programName(word)
        if codeTakers.contains(name) { return placeholder(from: start + 1).map { Hazard(index: $0, name: name) } }
        if name == "find" { return hazardOfFind(from: start + 1) }
        guard let program = InterpreterKind(of: name) else { return nil }
        switch find(program, from: start + 1) {
        case .codeOption(let index): return placeholder(from: index + 1).map { Hazard(index: $0, name: name) }
        case .placeholder(let index): return Hazard(index: index, name: name)
        case .operand(let index) where program.runsAnother: return hazard(from: index)
        case .operand(let index):
            return words[index].map(isInput) == true ? Hazard(index: start, name: name, isInput: true) : nil
        case .input: return Hazard(index: start, name: name, isInput: true)
        case .nothing: return nil
        }
    }

    private func placeholder(from start: Int) -> Int? {
        words.indices.dropFirst(start).first { words[$0] == nil }
    }

    private func hazardOfFind(from start: Int) -> Hazard? {
        for index in words.indices.dropFirst(start) where ["-exec", "-execdir", "-ok", "-okdir"].contains(words[index])
        {
            if index + 1 < words.count, words[index + 1] == nil { return Hazard(index: index + 1, name: "find") }
            if let found = hazard(from: index + 1) { return found }
        }
        return nil
    }

    private func find(_ program: InterpreterKind, from start: Int) -> Finding {
        var operandsToSkip = program.operandsBefore
        var mayBeValue = false
        var isAfterDashes = false
        var hasNoScript = program.readsInput
        for index in words.indices.dropFirst(start) {
            guard let word = words[index] else {
                if program.takesAssignments, arguments[index].isAssignment { continue }
                return .placeholder(index)
            }
            let isOption = !isAfterDashes && program.isOption(word)
            if isOption, program.asksForVersion(word) { hasNoScript = false }
            if isOption, word == "--" {
                (isAfterDashes, mayBeValue) = (true, false)
            } else if isOption, let finding = find(program, option: word, at: index) {
                return finding
            } else if isOption {
                mayBeValue = program.mayHaveValue(word)
            } else if program.takesAssignments, word.contains("=") {
                continue
            } else if mayBeValue, !isInput(word) {
                // Where it is not known whether the option has a value, this may be the script.
                if !program.knowsValues { hasNoScript = false }
                mayBeValue = false
            } else if operandsToSkip > 0 {
                operandsToSkip -= 1
            } else {
                if isAfterDashes && program.runsAnother || !program.permutes { return .operand(index) }
                return codeOption(of: program, from: index + 1) ?? .operand(index)
            }
        }
        return hasNoScript ? .input : .nothing
    }

    /// What an option decides; nil if it is one of those that do not matter.
    private func find(_ program: InterpreterKind, option: String, at index: Int) -> Finding? {
        if program.isCode(option) { return .codeOption(index) }
        if program.isInput(option) { return .input }
        let length = program.scriptLength(option)
        guard length > 0 else { return nil }
        let script = index + length - 1
        guard script < words.count else { return .nothing }
        return words[script] == nil ? .placeholder(script) : .operand(script)
    }

    /// The first option behind operands after which code is expected.
    private func codeOption(of program: InterpreterKind, from start: Int) -> Finding? {
        for index in words.indices.dropFirst(start) {
            let text = words[index] ?? arguments[index].literalBeginning
            guard program.isOption(text), program.isCode(text) else { continue }
            return words[index] == nil ? .placeholder(index) : .codeOption(index)
        }
        return nil
    }
}

/// Whether a script is standard input.
private func isInput(_ script: String) -> Bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(script)
}

/// The name of a program without its folder and its version: `python3.11` is `python`.
private func programName(_ word: String) -> String {
    let name = word.split(separator: "/").last ?? ""
    let version = name.reversed().prefix { $0.isNumber || $0 == "." || $0 == "-" }
    return String(name.dropLast(version.count))
}

/// Programs that hand their arguments to a shell, here or elsewhere, or that run them in another way.
private let codeTakers = ["ssh", "watch", "parallel", "sqlite"]

extension ArgumentTemplate {
    /// The literal text before its first placeholder.
    fileprivate var literalBeginning: String {
        guard case .literal(let text)? = parts.first else { return "" }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether it sets a variable whose name is literal.
    fileprivate var isAssignment: Bool {
        guard case .literal(let text)? = parts.first else { return false }
        return text.contains(UInt8(ascii: "=")) && text.first != UInt8(ascii: "-")
    }
}
