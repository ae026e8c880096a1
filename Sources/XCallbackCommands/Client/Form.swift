import Glibc
import XCallbackAdministration
import XCallbackLinux
import XCallbackRouter
import XCallbackURL

/// What a menu asks for.
struct MenuQuestion {
    /// How an answer is typed.
    enum Field {
        case line, secret, lines, file
    }

    /// The lines of which one is meant; empty if any text can be typed.
    var lines: [String] = []
    /// The word or two before the typed text, which some menus would hide behind more.
    let prompt: String
    /// All that the user should know, in one line.
    let text: String
    var field = Field.line
    /// Whether several values can be typed.
    var isList = false
    /// The line that stands for no value; nil if a line must be chosen.
    var nothing: String?
    /// The value that was typed before; nil for a question that does not ask for a value.
    var typed: String?
    /// What stands above the question in a dialog; empty for nothing.
    var heading = ""

    /// The lines of a menu.
    var shownLines: [String] { (nothing.map { [$0] } ?? []) + lines }
}

extension MenuQuestion {
    /// The number of lines that are shown at once, on a terminal and in a form.
    private static let shownCount = 20
    /// The maximum length of a line that a terminal passes on.
    private static let terminalLimit = 4095

    /// The lines that have a text, in upper or lower case.
    func lines(with text: String) -> [String] {
        lines.filter { !$0.lowercased().ranges(of: text.lowercased()).isEmpty }
    }

    /// Asks on the terminal for the number of a line, or for text.
    ///
    /// - Returns: The line, or the typed text; nil at the end of the input.
    func askOnTerminal() -> String? {
        let all = shownLines
        let shown = all.prefix(Self.shownCount)
        for (index, line) in shown.enumerated() { Terminal.printError("\(index + 1)) \(line)") }
        if all.count > shown.count { Terminal.printError("\(all.count) lines: type a part of one") }
        // It passes on Ctrl-C as a part of the text.
        let answer = field == .secret ? getpass("\(text)> ").map { String(cString: $0) } : readText()
        guard let typed = answer, !typed.contains("\u{3}") else { return nil }
        if typed.split(separator: "\n").contains(where: { $0.utf8.count >= Self.terminalLimit }) {
            Terminal.printError("a terminal cuts a line after \(Self.terminalLimit) bytes: use --stdin")
            return nil
        }
        let number = all.contains(typed) ? nil : Int(typed)
        return number.flatMap { $0 > 0 && $0 <= shown.count ? shown[$0 - 1] : nil } ?? typed
    }

    private func readText() -> String? {
        let end = field == .lines ? " (a line with only '.' ends it)" : ""
        _ = Terminal.write(Array("\(text)\(end)> ".utf8), to: STDERR_FILENO)
        guard field == .lines else { return readLine() }
        var typed: [String] = []
        while let line = readLine() {
            if line == "." { return typed.joined(separator: "\n") }
            typed.append(line)
        }
        return nil
    }
}

// A form of zenity, which has no initial values: what counts for an empty field is its first choice.
extension MenuQuestion {
    /// Whether it can be a field of a form, whose choices are separated by `|`.
    fileprivate var isField: Bool {
        ![.lines, .file].contains(field) && (lines.isEmpty || isList || lines.count <= Self.shownCount)
            && lines.allSatisfy { !$0.contains { "|\u{1F}".contains($0) } && $0 != " " }
    }

    /// The choice that stands for no value: zenity 4 returns it if the user has chosen none, and zenity 3 a blank.
    private var unchosen: String {
        var line = nothing ?? "– not chosen"
        while lines.contains(line) { line += "–" }
        return line
    }

    fileprivate var options: [String] {
        let label = text.prefix(100)
        if lines.isEmpty || isList { return ["--add-\(field == .secret ? "password" : "entry")=\(label)"] }
        return ["--add-combo=\(label)", "--combo-values=\(([unchosen] + lines).joined(separator: "|"))"]
    }

    /// Returns the answer in a field.
    fileprivate func answer(_ output: String) -> String {
        !lines.isEmpty && !isList && [" ", unchosen].contains(output) ? "" : output
    }
}

extension Menu {
    /// Shows a form, again if its answer came too early, without what was typed for another window; returns nil if the user
    /// has closed it.
    ///
    /// - Returns: An answer for each question; a different number if one has the separator.
    /// - Throws: ``Failure`` if the program cannot be started, or fails.
    fileprivate func fill(_ form: [MenuQuestion], _ title: String, _ text: String) throws(Failure) -> [String]? {
        for _ in 0..<Self.roundLimit {
            let command =
                ["zenity", "--forms", "--title=\(title)", "--text=\(text.html(escapingBackslash: "\\\\"))"]
                + ["--separator=\u{1F}"] + form.flatMap(\.options)
            guard let (output, isEarly) = try run(command, asking: text, "\n") else { return nil }
            let fields = output.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == form.count else { return fields }
            if !isEarly { return zip(form, fields).map { $0.answer($1) } }
        }
        return nil
    }
}

extension Menus {
    /// The maximum number of fields in a form: more do not fit on every screen.
    private static let fieldLimit = 10

    /// Asks for several values in forms, if the menu has forms.
    ///
    /// - Returns: The answers; nil for what no form has asked for.
    fileprivate mutating func answers(
        to questions: [MenuQuestion], _ title: String, _ text: String
    ) throws(Failure) -> [String?] {
        var answers = [String?](repeating: nil, count: questions.count)
        var rest = questions.indices.filter { questions[$0].isField }[...]
        // A long text leaves less room.
        let limit = Swift.max(Self.fieldLimit - text.count { $0 == "\n" } / 2, 2)
        while rest.count > 1 {
            let page = rest.prefix(limit)
            let form = try ask { menu throws(Failure) in
                menu.hasForms ? try menu.fill(page.map { questions[$0] }, title, text) : []
            }
            if form.isEmpty { break }
            guard form.count == page.count else {
                throw Failure(.usage, "a value has the character U+001F, which separates the fields; nothing was sent")
            }
            for (index, answer) in zip(page, form) { answers[index] = answer }
            rest = rest.dropFirst(page.count)
        }
        return answers
    }
}

extension Client.CatalogueRoute {
    /// Asks for the parameters that have no value, and adds their values.
    ///
    /// - Parameters:
    ///   - items: The items that are known.
    ///   - isWhole: Whether optional parameters are asked for if no required one is missing.
    ///   - menus: The menus that ask.
    /// - Throws: ``Failure`` if the user closes the menu, or no menu works.
    func complete(_ items: inout QueryItems, isWhole: Bool, with menus: inout Menus) throws(Failure) {
        var open = parameters.filter { parameter in !items.contains { $0.name == parameter.name } }
        guard isWhole || open.contains(where: \.isRequired) else { return }
        if !menus.hidesSecrets {
            if open.contains(where: { $0.isSecret && $0.isRequired }) {
                throw Failure(
                    .unavailable, "no menu hides a secret: install zenity or kdialog, or use --stdin; nothing was sent")
            }
            open.removeAll(where: \.isSecret)
        }
        let text = description?.split(separator: "\n").first.map(String.init) ?? title ?? name
        try open.complete(&items, title ?? name, text, with: &menus)
    }
}

extension [Client.CatalogueRoute.Parameter] {
    /// Asks for the parameters, and adds their values.
    ///
    /// - Parameters:
    ///   - items: Gets the values.
    ///   - title: The title of a form.
    ///   - text: The text of a form.
    ///   - heading: What stands above each question that a form does not ask.
    ///   - menus: The menus that ask.
    /// - Throws: ``Failure`` if the user closes the menu, or no menu works.
    func complete(
        _ items: inout QueryItems, _ title: String, _ text: String, heading: String = "", with menus: inout Menus
    ) throws(Failure) {
        let answers = try menus.answers(to: map { $0.question() }, title, text)
        for (parameter, answer) in zip(self, answers) {
            for value in try parameter.values(answer, heading, with: &menus) { items.append(parameter.name, value) }
        }
    }
}

extension Client.CatalogueRoute.Parameter {
    /// The length from which a text is expected to have several lines.
    private static let textLength = 200

    /// Returns the values of an answer, and asks if none is known, or a wrong one; a typed list is separated by commas.
    fileprivate func values(_ known: String?, _ heading: String, with menus: inout Menus) throws(Failure) -> [String] {
        var (known, answer, mistake) = (known, "", String?.none)
        for _ in 0..<Menu.roundLimit {
            if let first = known.take() {
                answer = first
            } else {
                var question = question(typed: answer, after: mistake)
                question.heading = heading
                answer = try menus.choose(question)
            }
            // A selection is one value, and typed text may be several.
            let isTypedList = type == "list" && !wordsOfValues.contains(answer)
            let values = isTypedList ? answer.split(separator: ",").map(String.init) : answer.isEmpty ? [] : [answer]
            let fault = rule.flatMap { rule in values.lazy.compactMap { rule.fault(in: $0.utf8.span) }.first }
            mistake = fault ?? (values.isEmpty && isRequired ? "given" : nil)
            if mistake == nil { return values }
        }
        throw Failure(.usage, "'\(name.withVisibleControls)' must be \(mistake ?? ""); nothing was sent")
    }

    /// The question for the values, again after a mistake with what was typed.
    fileprivate func question(typed: String = "", after mistake: String? = nil) -> MenuQuestion {
        let words = wordsOfValues
        let summary = description?.split(separator: "\n").first.map(String.init)
        let kind = words.isEmpty || type == "list" ? typeText : type ?? ""
        let standard = defaultValues.map { "default: \($0.joined(separator: ","))" }
        let facts = [
            summary != nil && kind == "string" ? nil : kind, kind == typeText ? nil : standard,
            !isRequired && standard == nil ? "optional" : nil,
        ].compactMap(\.self).joined(separator: ", ")
        let meaning = summary.map { facts.isEmpty ? $0 : "\($0) (\(facts))" } ?? facts
        let text = "\(name): \(mistake.map { "must be \($0); " } ?? "")\(meaning)".withVisibleControls
        let prompt = (mistake.map { "\(name) must be \($0)" } ?? name).withVisibleControls.prefix(40)
        let isText = hasLines || typed.utf8.contains(UInt8(ascii: "\n"))
        return MenuQuestion(
            lines: words, prompt: String(prompt), text: text,
            field: isSecret ? .secret : type == "file" && isRequired ? .file : isText ? .lines : .line,
            isList: type == "list", nothing: isRequired || words.isEmpty ? nil : standard ?? "– not chosen",
            typed: typed)
    }

    /// Whether its text can have several lines.
    private var hasLines: Bool {
        guard type == "string", let rule else { return false }
        return rule.charset?.contains(allOf: "\n".utf8.span) ?? ((maximumLength ?? 0) > Self.textLength)
            || defaultValues?.contains { $0.utf8.contains(UInt8(ascii: "\n")) } == true
    }
}
