import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackURL

/// Lets the user select an action in a menu, and runs it.
struct PickCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick",
        abstract: "Choose an action in a menu, and run it.",
        discussion: """
            The menu is any program that reads lines and prints the chosen one. It runs once for the action, then once \
            for each required parameter, with the prompt in XCALLBACK_PROMPT. Without --menu, it is $XCALLBACK_MENU, \
            or the first that is installed: fuzzel, rofi, wofi, bemenu, dmenu, fzf. The answer is shown as a \
            notification of the desktop. With --print, or if standard output is a terminal, it is printed as by \
            'xcallback open'.

            Example: xcallback pick --menu rofi -dmenu -i

            Exit status: as of 'xcallback open'; also 3 if the menu was closed, 69 if it failed.
            """
    )

    @Option(
        help:
            "Show only routes that requests of this origin reach: socket, desktop (as from a web page) or agent (an assistant)."
    )
    var origin: RequestOrigin?

    @Flag(name: .customLong("print"), help: "Print the answer on standard output.")
    var prints = false

    @OptionGroup var location: SocketOption

    @Option(
        parsing: .remaining,
        help: ArgumentHelp("The menu program and its arguments: the rest of the command line.", valueName: "program"))
    var menu: [String] = []

    func run(asking daemon: Client) async throws {
        let menu = try Menu(menu)
        let routes = try await ReplyWatch.wait("to list its routes") { try await daemon.routes() }
            .filter { origin?.reaches($0) ?? true }
        guard !routes.isEmpty else { throw Failure(.unknownAction, "the daemon has no actions to choose from") }
        let lines = routes.map { route in
            (route.title.map { "\($0) (\(route.name))" } ?? route.name).withVisibleControls
        }
        guard let line = try menu.choose(from: lines, asking: "action") else { throw Failure.menuClosed }
        guard let index = lines.firstIndex(of: line) else {
            throw Failure(.usage, "'\(line.withVisibleControls)' is not one of the actions; nothing was sent")
        }
        var route = routes[index]
        var parameters = QueryItems()
        for parameter in route.parameters where parameter.isRequired {
            for value in try parameter.ask(with: menu) { parameters.append(parameter.name, value) }
        }
        // Among routes of one name, the values determine which one is meant.
        route = routes.first { $0.name == route.name && $0.takes(parameters) } ?? route
        let url = try route.filled(with: parameters)
        let answer = try await ReplyWatch.waitForAnswer(of: location) {
            try await daemon.open(url, answeredBy: route.id)
        }
        if prints || isatty(STDOUT_FILENO) == 1 || !Menu.hasDisplay {
            try answer.print()
        } else {
            UserNotice.show(route.title ?? route.name, answer.noticeText)
        }
        let status = ExitStatus(answer)
        if status != .success { throw ExitCode(status.rawValue) }
    }

}

extension Failure {
    fileprivate static let menuClosed = Failure(.cancelled, "the menu was closed; nothing was sent")
}

extension Client.CatalogueRoute.Parameter {
    /// How often a question is asked again after a wrong value.
    private static let roundLimit = 10

    /// Asks for the values, again after a wrong one; a typed list is separated by commas.
    fileprivate func ask(with menu: Menu) throws(Failure) -> [String] {
        let words = wordsOfValues
        let summary = description?.split(separator: "\n").first.map(String.init)
        let kind = words.isEmpty ? typeText : elementType ?? type ?? ""
        let bounds = words.isEmpty && kind != "string" ? " (\(kind))" : ""
        let meaning = summary.map { $0 + bounds } ?? kind
        var mistake: String?
        for _ in 0..<Self.roundLimit {
            let prompt = "\(name): \(mistake.map { "must be \($0); " } ?? "")\(meaning)"
            guard let line = try menu.choose(from: words, asking: prompt.withVisibleControls) else { throw .menuClosed }
            // A selection is one value, and typed text may be several.
            let isTypedList = type == "list" && !words.contains(line)
            let answer = isTypedList ? line.split(separator: ",").map(String.init) : [line]
            mistake = rule.flatMap { rule in answer.lazy.compactMap { rule.fault(in: $0.utf8.span) }.first }
            if mistake == nil { return answer }
        }
        throw Failure(.usage, "'\(name.withVisibleControls)' must be \(mistake ?? ""); nothing was sent")
    }
}

extension Client.Answer {
    /// The answer in a few lines.
    fileprivate var noticeText: String {
        switch response {
        case .success(let items):
            items.isEmpty ? "Done." : items.map { $0.value ?? $0.name }.joined(separator: "\n")
        case .error(let error): error.text(cause: cause)
        case .cancel: "Cancelled."
        case .redirect(let target): target.text
        }
    }
}

/// A program that shows lines and prints the one that the user selects, or the text that the user types.
struct Menu {
    /// The program and its arguments.
    private let words: [String]
    /// The name of the program in messages.
    private let name: String

    /// The programs that are searched, in this order, if none is named.
    private static let known = [
        ["fuzzel", "--dmenu"], ["rofi", "-dmenu"], ["wofi", "--dmenu"], ["bemenu"], ["dmenu"],
    ]
    private static let knownOnTerminal = ["fzf", "--print-query"]
    /// The options that set the prompt.
    private static let promptOptions = [
        "fuzzel": "--prompt", "rofi": "-p", "wofi": "--prompt", "bemenu": "--prompt", "dmenu": "-p", "fzf": "--prompt",
    ]

    /// Selects a menu program.
    ///
    /// - Parameter named: The command that the command line names; empty for none.
    /// - Throws: ``Failure`` if none is named and none is found.
    init(_ named: [String]) throws(Failure) {
        if !named.isEmpty {
            words = named
        } else if let text = variable("XCALLBACK_MENU") {
            words = ["sh", "-c", text]
            name = "'\(text.withVisibleControls)' of XCALLBACK_MENU"
            return
        } else if Self.hasDisplay, let found = Self.known.first(where: { ToolRun.isInstalled($0[0]) }) {
            words = found
        } else if isatty(STDIN_FILENO) == 1, ToolRun.isInstalled(Self.knownOnTerminal[0]) {
            words = Self.knownOnTerminal
        } else {
            throw Failure(
                .usage,
                "no menu program is installed\n"
                    + "give one that reads lines: '--menu rofi -dmenu', or set XCALLBACK_MENU")
        }
        name = "'\(words.joined(separator: " ").withVisibleControls)'"
    }

    /// Returns the command for a prompt: a known program gets the prompt as an option, unless the command has it.
    private func words(asking prompt: String) -> [String] {
        let program = words[0].split(separator: "/").last.map(String.init) ?? ""
        guard let option = Self.promptOptions[program],
            !words.contains(where: { $0 == "-p" || $0.hasPrefix("--prompt") })
        else { return words }
        return words + [option, "\(prompt)> "]
    }

    /// Whether windows can be shown.
    static var hasDisplay: Bool { variable("WAYLAND_DISPLAY") != nil || variable("DISPLAY") != nil }

    /// Shows lines.
    ///
    /// The program finds the prompt in `XCALLBACK_PROMPT`.
    ///
    /// - Parameters:
    ///   - lines: The lines; empty if any text can be typed, because a line would be selected instead of the typed text.
    ///   - prompt: The prompt.
    /// - Returns: The last line of the program's output; nil if the user has dismissed it.
    /// - Throws: ``Failure`` if the program cannot be started, or fails.
    func choose(from lines: [String], asking prompt: String) throws(Failure) -> String? {
        let (output, end): (String?, SpawnedProcess.Ending)
        do throws(SystemError) {
            (output, end) = try Self.run(
                words(asking: prompt), with: ["XCALLBACK_PROMPT=\(prompt)"],
                input: lines.map { "\($0)\n" }.joined())
        } catch {
            throw Failure(.usage, "cannot run the menu \(name): \(systemMessage(error.code))")
        }
        guard let output else {
            throw Failure(
                .usage, "the menu printed more than \(Self.limit) bytes, which is not a valid choice; nothing was sent")
        }
        switch end {
        // fzf ends with 1 after a text that is none of the lines.
        case .exited(0), .exited(1): return output.split(separator: "\n").last.map(String.init)
        case .exited(126),
            .exited(127) where output.isEmpty:
            throw Failure(.usage, "cannot run the menu \(name)")
        // A terminating signal comes from the user, possibly through a shell. The output is incomplete then.
        case .killed(let signal) where Self.endingSignals.contains(signal): return nil
        case .exited(let status) where Self.endingSignals.contains(status - 128): return nil
        case .killed(let signal): throw failed("signal \(signal)")
        case .exited(let status): throw failed("status \(status)")
        }
    }

    private func failed(_ ending: String) -> Failure {
        Failure(.unavailable, "the menu \(name) failed: \(ending); nothing was sent")
    }

    private static let endingSignals = [SIGINT, SIGTERM, SIGHUP]

    /// The maximum size of a selection: more than the greatest `line` that a configuration can allow.
    private static let limit = 1_048_576
}

extension Menu {
    /// Runs a program in the caller's process group, with the caller's standard error.
    ///
    /// - Returns: The output, which is nil if it exceeds the limit, and how the program ended.
    private static func run(
        _ words: [String], with variables: [String], input: String
    ) throws(SystemError) -> (output: String?, end: SpawnedProcess.Ending) {
        // A file, because a program that reads no pipe would block its writer.
        let file = try Descriptor(inMemory: Array(input.utf8))
        var pipe = try Pipe()
        // The user may think for any time.
        _ = fcntl(pipe.numbers.reading, F_SETFL, 0)
        let process = try SpawnedProcess(
            words, with: variables, streams: (file.number, pipe.numbers.writing, STDERR_FILENO))
        pipe.writing = nil
        let bytes = (try? readAll(pipe.numbers.reading, atMost: limit + 1)) ?? []
        let text = bytes.count > limit ? nil : String(decoding: bytes, as: UTF8.self)
        if text == nil { process.send(signal: SIGTERM) }
        return (text, process.reap())
    }
}
