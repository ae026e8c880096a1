import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackClient
import XCallbackConfiguration
import XCallbackPipeline
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
        let url: String
        do throws(RouteFillingError) {
            url = try route.url(with: parameters)
        } catch {
            throw Failure(.usage, "\("\(error)".withVisibleControls); nothing was sent")
        }
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

extension Client.Route.Parameter {
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

    /// The rule for its values; nil if its type is unknown.
    private var rule: ParameterRule? {
        guard let type = values.map({ .enumeration($0) }) ?? ParameterType(name: elementType ?? type ?? "") else {
            return nil
        }
        var rule = ParameterRule(type: type)
        rule.minimum = minimum.flatMap { ParameterRule.Bound($0) }
        rule.maximum = maximum.flatMap { ParameterRule.Bound($0) }
        (rule.minimumLength, rule.maximumLength) = (minimumLength, maximumLength)
        rule.charset = charset.flatMap { try? ParameterCharset($0) }
        return rule
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
