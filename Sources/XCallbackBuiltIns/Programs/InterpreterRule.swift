import XCallbackConfiguration
import XCallbackPrograms

/// Prevents code injection: the code that a shell or an interpreter runs must be literal.
///
/// The rule recognizes common shells and interpreters by name, and the form of their arguments: options, one of which
/// can announce code, then the script. If a word could be an option's value or the script, the rule takes the cautious
/// view; a literal `--` resolves the doubt.
struct InterpreterRule {
    private static let shells: Set = ["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "csh", "tcsh", "fish"]
    private static let interpreters: Set = [
        "python", "pypy", "perl", "ruby", "node", "nodejs", "bun", "php", "lua", "tclsh", "pwsh",
    ]
    /// Programs that run their script on their input.
    private static let filters: Set = ["awk", "gawk", "mawk", "sed"]
    /// Programs whose script is another program.
    private static let runners: Set = ["env", "sudo", "doas", "nice", "nohup", "setsid", "xargs"]
    /// Programs that pass their arguments to a shell, here or on another machine, or run them in another way.
    private static let codeTakers: Set = ["ssh", "su", "watch", "sqlite"]
    /// Long options that announce code.
    private static let codeWords = ["--command", "--eval", "--execute", "--expression", "--init-file", "--rcfile"]
    /// Options that name the script.
    private static let scriptOptions = ["-m", "-f", "--file"]

    /// The result of reading the arguments of an interpreter.
    private enum Finding {
        /// An option that announces code.
        case code(Int)
        /// The script.
        case script(Int)
        /// An option with the name of the script, or for the version; or no argument that could be a script.
        case nothing
        /// The interpreter runs its input.
        case input
    }

    private let arguments: [ArgumentTemplate]
    /// The texts of the arguments without placeholders; nil for the others.
    private let words: [String?]

    init(_ arguments: [ArgumentTemplate]) {
        self.arguments = arguments
        words = arguments.map { $0.literal.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// Reports the first placeholder that would be code or select it, and an interpreter that would run the request.
    func check(_ faults: FaultList) {
        for start in words.indices { if report(programAt: start, faults) { return } }
    }

    /// The shell or interpreter that runs arguments as code, and the index after its code option; nil without one.
    var code: (program: String, start: Int)? {
        for start in words.indices {
            guard let name = words[start].map(programName), case .code(let index)? = find(name, at: start) else {
                continue
            }
            return (name, index + 1)
        }
        return nil
    }

    /// Whether one of the arguments is a program that can pass others to a shell, or runs code in another way.
    var mayRunCode: Bool {
        words.contains { word in
            let name = word.map(programName) ?? ""
            return [Self.shells, Self.interpreters, Self.filters, Self.codeTakers].contains { $0.contains(name) }
        }
    }

    /// Warns about a program that reads the URL as received, which a web page can spell in many ways.
    ///
    /// The URL's variable is in an argument, or in a script that can be read.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the program's working directory; nil if unknown.
    ///   - faults: Receives warnings.
    func warnOfReceivedURL(in folder: [UInt8]?, _ faults: FaultList) {
        let folder = folder.map { String(decoding: $0, as: UTF8.self) }
        var script = 0
        if let name = words.first?.map(programName), case .script(let index)? = find(name, at: 0) { script = index }
        for index in arguments.indices {
            let isInText = isReader(arguments[index].literalText) && !isUnset(index)
            guard isInText || (index == 0 || index == script) && isReader(scriptAt: index, folder) else { continue }
            faults.warn(
                "this code reads \(Self.receivedURL), which a web page can spell in many ways: use XCALLBACK_ACTION and "
                    + "XCALLBACK_QUERY, which are what the route has matched", at: arguments[index].place)
        }
    }

    private static let receivedURL = "XCALLBACK_URL"

    /// Whether a line of code, except comments, contains the URL's variable.
    private func isReader(_ code: String) -> Bool {
        code.utf8.split(separator: UInt8(ascii: "\n")).contains { line in
            let text = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            return text.first != UInt8(ascii: "#") && names(line)
        }
    }

    /// Whether a line contains the name of the variable, and not as a part of another name.
    private func names(_ line: Substring.UTF8View) -> Bool {
        let name = Self.receivedURL.utf8
        var before: UInt8?
        var rest = line
        while let byte = rest.first {
            let isStart = byte == UInt8(ascii: "X") && before.map(isNameByte) != true
            if isStart, rest.starts(with: name) {
                let next = rest.dropFirst(name.count).first
                if next.map(isNameByte) != true { return true }
            }
            before = byte
            rest = rest.dropFirst()
        }
        return false
    }

    /// Whether an argument unsets the variable: `env -u XCALLBACK_URL`.
    private func isUnset(_ index: Int) -> Bool {
        guard index > 1, words[index] == Self.receivedURL, words[index - 1] == "-u" else { return false }
        return words[..<(index - 1)].contains { $0.map(programName) == "env" }
    }

    /// Whether an argument is the path of a script that reads the URL.
    private func isReader(scriptAt index: Int, _ folder: String?) -> Bool {
        guard var path = words[index] else { return false }
        if !path.hasPrefix("/") {
            // The program itself is searched in PATH.
            guard index > 0, let folder else { return false }
            path = "\(folder)/\(path)"
        }
        guard let file = try? SmallFile(path) else { return false }
        // The program itself may not be a script.
        guard index > 0 || file.bytes.starts(with: "#!".utf8) else { return false }
        return isReader(file.text)
    }

    /// Reports the fault in the arguments of the program at a position; false if there is none.
    private func report(programAt start: Int, _ faults: FaultList) -> Bool {
        guard let name = words[start].map(programName) else { return false }
        var hazard: Int?
        switch find(name, at: start) {
        case .code(let index): hazard = words.indices.dropFirst(index).first { words[$0] == nil }
        // After the first word, the name of a program can be just a word, unless a code option follows.
        case .script(let index) where start == 0: hazard = words[index] == nil ? index : nil
        case .input where start == 0:
            faults.report(
                "\(name.quoted) would run what it reads, and standard input is the request: name a script",
                at: arguments[start].place)
            return true
        case .script, .nothing, .input, nil: break
        }
        guard let hazard else { return false }
        faults.report(
            "what \(name.quoted) runs cannot come from a request: put the code into a script of its own, and give it the "
                + "value as an argument (a brace that belongs to the code is written '{{')"
                + (Self.shells.contains(name) ? variableHint(arguments[hazard]) : ""),
            at: arguments[hazard].place)
        return true
    }

    /// Advice on how shell code reads the first parameter of an argument.
    private func variableHint(_ argument: ArgumentTemplate) -> String {
        for case .parameter(let name, _, _) in argument.parts {
            let variable = ProgramEnvironment.Parameter.variable(of: String(decoding: name, as: UTF8.self))
            return ", or let the code read \"$\(variable)\""
        }
        return ""
    }

    /// Reads the arguments of a program; nil if it is not an interpreter.
    private func find(_ name: String, at start: Int) -> Finding? {
        if start == 0, Self.codeTakers.contains(name) { return .code(1) }
        let (isShell, isRunner) = (Self.shells.contains(name), Self.runners.contains(name))
        let readsInput = isShell || Self.interpreters.contains(name)
        guard readsInput || isRunner || Self.filters.contains(name) else { return nil }
        var mayBeValue = false
        var mayHaveScript = !readsInput
        for index in words.indices.dropFirst(start + 1) {
            let option = words[index] ?? arguments[index].literalBeginning
            let isOption = option.count > 1 && (option.hasPrefix("-") || isShell && option.hasPrefix("+"))
            if !isOption || words[index] == nil && (isRunner || !isCode(option, inShell: isShell)) {
                if isRunner, arguments[index].isAssignment { continue }
                guard mayBeValue, let word = words[index], !isInput(word) else { return script(index, readsInput) }
                mayBeValue = false
                if !isShell { mayHaveScript = true }
            } else if option == "--" {
                return index + 1 < words.count ? script(index + 1, readsInput) : mayHaveScript ? .nothing : .input
            } else if isRunner {
                mayBeValue = true
            } else if isCode(option, inShell: isShell) {
                return .code(index)
            } else if isShell, option.hasPrefix("-"), !option.hasPrefix("--"), option.contains("s") {
                return .input
            } else if ["--version", "--help"].contains(option)
                || readsInput && !isShell && ["-v", "-V", "-h"].contains(option)
            {
                return .nothing
            } else if !isShell, let name = Self.scriptOptions.first(where: { option.hasPrefix($0) }) {
                return option == name && index + 1 < words.count ? script(index + 1, true) : .nothing
            } else {
                mayBeValue = isShell ? option.last == "o" || option.last == "O" : !option.contains("=")
            }
        }
        return mayHaveScript ? .nothing : .input
    }

    private func script(_ index: Int, _ readsInput: Bool) -> Finding {
        readsInput && words[index].map(isInput) == true ? .input : .script(index)
    }

    /// Whether an option announces or contains code: `-c`, `-ec`, `-c…`, and for interpreters also `-e`.
    private func isCode(_ option: String, inShell: Bool) -> Bool {
        if option.hasPrefix("--") { return Self.codeWords.contains { option == $0 || option.hasPrefix("\($0)=") } }
        let letters = inShell ? "c" : "ce"
        let isBundle = option.count <= 5 && option.dropFirst().allSatisfy(\.isLetter)
        return letters.contains(option.dropFirst().first ?? "-") || isBundle && letters.contains(option.last ?? "-")
    }
}

/// Whether a byte can be part of a variable name.
func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
    default: false
    }
}

/// Whether a script is standard input.
private func isInput(_ script: String) -> Bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(script)
}

/// Returns the name of a program without its directory and version: `python` for `python3.11`.
private func programName(_ word: String) -> String {
    let name = word.split(separator: "/").last ?? ""
    let version = name.reversed().prefix { $0.isNumber || $0 == "." || $0 == "-" }
    return String(name.dropLast(version.count))
}

extension ArgumentTemplate {
    /// The literal text, with a NUL for each placeholder.
    var literalText: String {
        parts.map { if case .literal(let text) = $0 { String(decoding: text, as: UTF8.self) } else { "\0" } }.joined()
    }

    /// The literal text before the first placeholder.
    fileprivate var literalBeginning: String {
        guard case .literal(let text)? = parts.first else { return "" }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether the argument sets a variable with a literal name.
    fileprivate var isAssignment: Bool {
        guard case .literal(let text)? = parts.first else { return false }
        return text.contains(UInt8(ascii: "=")) && text.first != UInt8(ascii: "-")
    }
}
