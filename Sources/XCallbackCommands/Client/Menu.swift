import Glibc
import XCallbackLinux
import XCallbackWire

/// The menus that can reach the user, the best first.
struct Menus {
    private var menus: [Menu]

    /// Finds the menus.
    ///
    /// - Parameter command: The menu that the command line names; empty for none.
    init(_ command: [String]) {
        let named = command.isEmpty ? Menu.wordsOfEnvironment : command
        let isOnTerminal =
            Terminal.isForeground(STDIN_FILENO) && (Terminal.isForeground(STDOUT_FILENO) || !Menu.hasDisplay)
        let ofTerminal = ToolRun.isInstalled("fzf") ? [["fzf"], []] : [[]]
        menus = ((named.isEmpty ? [] : [named]) + (isOnTerminal ? ofTerminal : [])).map { Menu($0) } + Menu.ofDesktop
    }

    private init(_ menus: [Menu]) { self.menus = menus }

    /// The installed dialogs of desktops.
    static var ofDialogs: Self { Self(Menu.dialogs.filter { ToolRun.isInstalled($0) }.map { Menu([$0]) }) }

    /// Whether one of them hides what is typed.
    var hidesSecrets: Bool { menus.contains(where: \.hasFields) }

    /// Asks for a line or a text; after a part of some lines, again with these.
    ///
    /// - Returns: The line that is selected or the only one with the typed text, or the typed text if there is none; empty
    ///   if a value may be missing.
    /// - Throws: ``Failure`` if the user closes the menu; that of the first menu if none works.
    mutating func choose(_ question: MenuQuestion) throws(Failure) -> String {
        var question = question
        while true {
            let choice = try ask(in: question.field) { menu throws(Failure) in try menu.choose(question) }
            if choice.isEmpty, question.typed == nil { throw Self.closing }
            if choice.isEmpty || choice == question.nothing { return "" }
            let matches = question.lines.contains(choice) ? [choice] : question.lines(with: choice)
            if matches.count == 1 { return matches[0] }
            if matches.isEmpty || matches.count == question.lines.count { return choice }
            question.lines = matches
        }
    }

    /// Asks with the first menu that works; one that fails is not used again.
    ///
    /// - Parameters:
    ///   - field: The field that the menu should have; for a secret, it must.
    ///   - body: Asks with a menu; returns nil if the user closes it.
    /// - Returns: The answer of the first menu that works.
    /// - Throws: ``Failure`` if the user closes the menu; that of the first menu if none works.
    mutating func ask<Answer>(
        in field: MenuQuestion.Field = .line, with body: (Menu) throws(Failure) -> Answer?
    ) throws(Failure) -> Answer {
        var failure: Failure?
        while let index = menus.firstIndex(where: { field == .line || $0.hasFields })
            ?? (field == .secret ? nil : menus.indices.first)
        {
            let answer: Answer?
            do throws(Failure) {
                answer = try body(menus[index])
            } catch {
                menus.remove(at: index)
                failure = failure ?? error
                if !menus.isEmpty { Terminal.printError("xcallback: \(error.message); trying the next menu") }
                continue
            }
            guard let answer else { throw Self.closing }
            return answer
        }
        throw failure.map { Failure($0.status, "\($0.message); nothing was sent") } ?? Menu.lack
    }

    /// Shows lines until the user closes the menu; returns whether a menu could do that.
    mutating func show(_ lines: [String]) -> Bool {
        do throws(Failure) {
            let question = MenuQuestion(lines: lines, prompt: "answer", text: "answer")
            _ = try ask { menu throws(Failure) in try menu.choose(question) }
            return true
        } catch {
            return error.status == .cancelled
        }
    }

    private static var closing: Failure { Failure(.cancelled, "the menu was closed; nothing was sent") }
}

/// A program that shows lines, and prints the one that the user selects, or the text that the user types.
struct Menu {
    /// The program and its arguments; empty for the terminal itself.
    private let words: [String]
    /// The command in messages.
    var name: String { "'\(words.joined(separator: " ").withVisibleControls)'" }

    /// The programs that read lines: the arguments that make one a menu, and its options for the prompt and the text.
    ///
    /// Without `--exec-search`, wofi prints a line that does not match, if Return comes before it has searched. Without
    /// `-normal-window`, rofi gets no keys where X11 is only emulated.
    private static let known: [String: (arguments: [String], prompt: String, text: String?)] = [
        "fuzzel": (["--dmenu", "--width=60"], "--prompt", nil),
        "wofi": (["--dmenu", "--insensitive", "--exec-search"], "--prompt", nil),
        "bemenu": (["-i", "-l", "20"], "--prompt", nil),
        "rofi": (["-dmenu", "-i"] + (variable("WAYLAND_DISPLAY") == nil ? [] : ["-normal-window"]), "-p", "-mesg"),
        "dmenu": (["-i", "-l", "20"], "-p", nil),
        "fzf": (["--print-query"], "--prompt", "--header"),
    ]
    /// Creates the menu of a command; a known program alone gets the arguments that make it a menu.
    init(_ words: [String]) {
        let program = words.first.flatMap { Self.known[Self.program(in: $0)] }
        self.words = words.count == 1 ? words + (program?.arguments ?? []) : words
    }

    /// The command of `XCALLBACK_MENU`, which a shell reads unless it is the name of a menu; empty if there is none.
    fileprivate static var wordsOfEnvironment: [String] {
        let text = variable("XCALLBACK_MENU")
        return text.map { known[$0] != nil || dialogs.contains($0) ? [$0] : ["/bin/sh", "-c", $0] } ?? []
    }

    private static func program(in word: String) -> String { word.split(separator: "/").last.map(String.init) ?? "" }

    /// Whether windows can be shown.
    static var hasDisplay: Bool { variable("WAYLAND_DISPLAY") != nil || variable("DISPLAY") != nil }

    /// The installed menus that the session can show, the best first.
    static var ofDesktop: [Menu] {
        hasDisplay ? programs.filter { ToolRun.isInstalled($0) }.map { Menu([$0]) } : []
    }

    /// The programs that can be a menu in the session, the best first.
    ///
    /// GNOME cannot show those that need the layers of other desktops.
    private static var programs: [String] {
        let layers = isDesktop("GNOME") ? ["wofi", "rofi"] : ["fuzzel", "wofi", "bemenu", "rofi"]
        return (variable("WAYLAND_DISPLAY") == nil ? ["rofi", "dmenu"] : layers) + dialogs
    }

    /// The programs of desktops that show dialogs, the best first.
    static var dialogs: [String] {
        isDesktop("KDE") ? ["kdialog", "zenity"] : ["zenity", "kdialog"]
    }

    private static func isDesktop(_ name: Substring) -> Bool {
        variable("XDG_CURRENT_DESKTOP")?.split(separator: ":").contains(name) ?? false
    }

    /// Why there is no menu.
    static var lack: Failure {
        let (cause, advice) =
            hasDisplay
            ? ("no menu program is installed: none of \(programs.joined(separator: ", "))", "install one")
            : ("there is no display for a menu: neither WAYLAND_DISPLAY nor DISPLAY is set", "use a terminal")
        return Failure(
            .unavailable, "\(cause)\n\(advice), or name a menu that reads lines with --menu or XCALLBACK_MENU")
    }

    /// How often an answer may come too early; then it counts as closed.
    static let roundLimit = 10
    /// The time after the start of a dialog in which answers do not count.
    ///
    /// It takes a moment to appear, and what is typed in the first second was meant for another window. Nobody fills in a form
    /// so soon, even on a slow machine.
    private static let (earlyTime, earlyTimeOfForm) = (Duration.milliseconds(1500), Duration.seconds(3))

    /// Whether it is a dialog of a desktop, which shows its window while the user may be typing elsewhere.
    private var isDialog: Bool { words == ["zenity"] || words == ["kdialog"] }
    /// Whether it has fields for secrets, and for several lines.
    fileprivate var hasFields: Bool { words.isEmpty || isDialog }
    /// Whether it can ask for several values in one window.
    var hasForms: Bool { words == ["zenity"] }

    /// Shows a question, again if its answer came too early, without what was typed for another window; returns nil if the
    /// user has closed the menu.
    ///
    /// - Throws: ``Failure`` if the program cannot be started, or fails.
    fileprivate func choose(_ question: MenuQuestion) throws(Failure) -> String? {
        if words.isEmpty { return question.askOnTerminal() }
        for _ in 0..<Self.roundLimit {
            // A program that fails has not read its input, so there is always a line.
            let lines = question.lines.isEmpty ? [""] : question.shownLines
            let input = hasFields && question.field == .lines ? question.typed : nil
            guard
                let (output, isEarly) = try run(
                    command(for: question), asking: question.text, input ?? lines.map { "\($0)\n" }.joined())
            else { return nil }
            let isText = isDialog && question.lines.isEmpty
            let answer = isText ? output : output.split(separator: "\n").last.map(String.init) ?? ""
            if question.typed == nil || !isEarly { return answer }
        }
        return nil
    }

    /// Runs the program, which finds the question in `XCALLBACK_PROMPT`.
    ///
    /// - Returns: What it prints, without a final line end, and whether that came too early; nil if the user has closed it.
    /// - Throws: ``Failure`` if the program cannot be started, or fails.
    func run(_ command: [String], asking text: String, _ input: String) throws(Failure)
        -> (output: String, isEarly: Bool)?
    {
        let earlyEnd = ContinuousClock.now + (command.contains("--forms") ? Self.earlyTimeOfForm : Self.earlyTime)
        let run: InteractiveRun
        do throws(SystemError) {
            run = try InteractiveRun(
                command, with: ["XCALLBACK_PROMPT=\(text)", "ZENITY_OK=0", "ZENITY_CANCEL=130", "ZENITY_ESC=130"],
                input: input)
        } catch {
            throw Failure(.unavailable, "cannot run the menu \(name): \(systemMessage(error.code))")
        }
        guard let output = run.output else { throw failure("more than \(InteractiveRun.limit) bytes of output") }
        switch run.ending.status {
        // It prints what was typed all the same.
        case 1 where words == ["kdialog"]: return nil
        case 1 where output.isEmpty && !run.hasReadInput: throw failure("status 1")
        // fzf ends with 1 after a text that is none of the lines.
        case 0 where isDialog, 0 where !output.isEmpty, 1 where !output.isEmpty:
            let text = output.utf8.last == UInt8(ascii: "\n") ? output.utf8.dropLast() : output.utf8[...]
            return (String(Substring(text)), isDialog && .now < earlyEnd)
        case 126,
            127 where output.isEmpty:
            throw Failure(.unavailable, "cannot run the menu \(name)")
        // fuzzel ends with 2 if it is closed, and dialogs with 130. A signal comes from the user, and the output is incomplete.
        case 2 where output.isEmpty && run.hasReadInput, 0, 1, 129, 130, 143: return nil
        case let status: throw failure(status > 128 ? "signal \(status - 128)" : "status \(status)")
        }
    }

    private func failure(_ ending: String) -> Failure { Failure(.unavailable, "the menu \(name) failed: \(ending)") }

    /// Returns the command for a question: a known program gets its prompt as an option, unless the command has one.
    private func command(for question: MenuQuestion) -> [String] {
        let (lines, title) = (question.shownLines, "--title=\(question.prompt)")
        let typed = question.typed ?? ""
        let long = question.heading.isEmpty ? question.text : "\(question.heading)\n\n\(question.text)"
        switch (words, lines.isEmpty) {
        case (["zenity"], false):
            // It would take half a minute to read 3,000 lines.
            return words + [
                "--list", title, "--text=\(question.heading.html(escapingBackslash: "\\\\"))",
                "--column=\(question.text)",
            ] + InteractiveRun.zenitySize + [
                "--"
            ]
                + lines
        case (["zenity"], true):
            if question.field == .file {
                return words + [
                    "--file-selection", "--title=\(question.text)",
                    "--filename=\(typed.isEmpty ? workingFolder() : typed)",
                ]
            }
            if question.field == .lines {
                return words + ["--text-info", "--editable", "--title=\(question.text)"] + InteractiveRun.zenitySize
            }
            let text = long.replacing(each: "\\", with: "\\\\").replacing(each: "_", with: "__")
            return words + ["--entry", title, "--text=\(text)"]
                // Other users can read the words of a command.
                + (question.field == .secret ? ["--hide-text"] : typed.isEmpty ? [] : ["--entry-text=\(typed)"])
        case (["kdialog"], false):
            return words + [title, "--menu", long.htmlOfQt, "--"] + lines.flatMap { [$0, $0] }
        case (["kdialog"], true):
            if question.field == .file {
                return words + [
                    "--title=\(question.text)", "--getopenfilename", typed.isEmpty ? workingFolder() : typed,
                ]
            }
            let text = long.replacing(each: "&", with: "&&").htmlOfQt
            if question.field == .secret { return words + [title, "--password", text] }
            return words + [title, question.field == .lines ? "--textinputbox" : "--inputbox", text]
                + (typed.isEmpty ? [] : ["--", typed])
        default: break
        }
        let program = Self.program(in: words[0])
        if words.contains(where: { $0 == "-p" || $0.hasPrefix("--prompt") }) { return words }
        guard let known = Self.known[program] else { return words }
        let text = program == "rofi" ? question.text.html(escapingBackslash: "\\") : question.text
        let hint = question.text == question.prompt ? nil : known.text
        return words + [known.prompt, "\(question.prompt)> "] + (hint.map { [$0, text] } ?? [])
    }
}

/// A program that the user answers or closes, in the caller's process group, with the caller's standard error.
struct InteractiveRun {
    /// The maximum size of the output: more than the greatest `line` that a configuration can allow.
    static let limit = 1_048_576
    /// The size of a list or a text of zenity.
    static let zenitySize = ["--width=600", "--height=400"]

    /// The output; nil if it exceeds the limit.
    let output: String?
    let ending: SpawnedProcess.Ending
    /// Whether the program has read any of its input.
    let hasReadInput: Bool

    init(_ words: [String], with variables: [String] = [], input: String) throws(SystemError) {
        // A file, because a program that reads no pipe would block its writer.
        let file = try Descriptor(inMemory: Array(input.utf8))
        var pipe = try Pipe()
        // The user may think for any time.
        _ = fcntl(pipe.numbers.reading, F_SETFL, 0)
        let process = try SpawnedProcess(
            words, with: variables + localeVariables, streams: (file.number, pipe.numbers.writing, STDERR_FILENO))
        pipe.writing = nil
        let bytes = (try? readAll(pipe.numbers.reading, atMost: Self.limit + 1)) ?? []
        output = bytes.count > Self.limit ? nil : String(decoding: bytes, as: UTF8.self)
        if output == nil { process.send(signal: SIGTERM) }
        ending = process.reap()
        hasReadInput = lseek(file.number, 0, SEEK_CUR) > 0
    }
}
