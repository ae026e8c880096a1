import XCallbackConfiguration

/// Keeps requests from writing code: what an interpreter runs is literal.
///
/// It knows shells and the usual interpreters, and the programs that run another one. Where it cannot tell an option's
/// value from a script or a program it takes the cautious view, and a literal `--` ends the doubt.
struct InterpreterRule {
    /// How far the arguments of a program were read.
    private enum Finding {
        /// An option after which code is expected.
        case codeOption(Int)
        /// A placeholder before the script or the program, or in its place.
        case placeholder(Int)
        /// The script, or the program that is run.
        case operand(Int)
        case nothing
    }

    private let arguments: [ArgumentTemplate]
    /// The texts of those that have no placeholders.
    private let words: [String?]

    init(_ arguments: [ArgumentTemplate]) {
        self.arguments = arguments
        words = arguments.map { $0.literal.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// Reports the first placeholder that would be code, or choose it.
    func check(_ faults: FaultList) {
        guard let (index, name) = codePlaceholder(from: 0) else { return }
        faults.report(
            "what \(name.quoted) runs cannot come from a request: put the code into a script of its own, and give it "
                + "the value as an argument", at: arguments[index].place)
    }

    /// The first placeholder that is code for the program at a position, or for one that this runs.
    private func codePlaceholder(from start: Int) -> (index: Int, name: String)? {
        guard start < words.count, let word = words[start] else { return nil }
        let name = programName(word)
        if shellSenders.contains(name) { return placeholder(from: start + 1).map { ($0, name) } }
        if name == "find" { return codeOfFind(from: start + 1) }
        guard let program = InterpreterKind.all[name] else { return nil }
        switch find(program, from: start + 1) {
        case .codeOption(let index): return placeholder(from: index + 1).map { ($0, name) }
        case .placeholder(let index): return (index, name)
        case .operand(let index): return program.runsAnother ? codePlaceholder(from: index) : nil
        case .nothing: return nil
        }
    }

    private func placeholder(from start: Int) -> Int? {
        words.indices.dropFirst(start).first { words[$0] == nil }
    }

    private func codeOfFind(from start: Int) -> (index: Int, name: String)? {
        for index in words.indices.dropFirst(start) where ["-exec", "-execdir", "-ok", "-okdir"].contains(words[index]) {
            if index + 1 < words.count, words[index + 1] == nil { return (index + 1, "find") }
            if let found = codePlaceholder(from: index + 1) { return found }
        }
        return nil
    }

    private func find(_ program: InterpreterKind, from start: Int) -> Finding {
        var operandsToSkip = program.operandsBefore
        var mayBeValue = false
        var isAfterDashes = false
        for index in words.indices.dropFirst(start) {
            guard let word = words[index] else {
                if program.takesAssignments, arguments[index].isAssignment { continue }
                return .placeholder(index)
            }
            let isOption = !isAfterDashes && word.hasPrefix("-") && word != "-"
            if isOption, word == "--" {
                (isAfterDashes, mayBeValue) = (true, false)
            } else if isOption, program.isCode(word) {
                return .codeOption(index)
            } else if isOption, program.scriptOptions.contains(word) {
                return index + 1 < words.count && words[index + 1] == nil ? .placeholder(index + 1) : .nothing
            } else if isOption {
                mayBeValue = !word.contains("=")
            } else if program.takesAssignments, word.contains("=") {
                continue
            } else if mayBeValue {
                mayBeValue = false
            } else if operandsToSkip > 0 {
                operandsToSkip -= 1
            } else {
                return .operand(index)
            }
        }
        return .nothing
    }
}

/// The name of a program without its folder and its version: `python3.11` is `python`.
private func programName(_ word: String) -> String {
    let name = word.split(separator: "/").last ?? ""
    let version = name.reversed().prefix { $0.isNumber || $0 == "." || $0 == "-" }
    return String(name.dropLast(version.count))
}

/// Programs that hand their arguments to a shell, here or elsewhere.
private let shellSenders = ["ssh", "watch", "parallel"]

extension ArgumentTemplate {
    /// Whether it sets a variable whose name is literal.
    fileprivate var isAssignment: Bool {
        guard case .literal(let text)? = parts.first else { return false }
        return text.contains(UInt8(ascii: "=")) && text.first != UInt8(ascii: "-")
    }
}
