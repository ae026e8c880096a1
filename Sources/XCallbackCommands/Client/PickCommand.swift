import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackClient
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackURL

/// Lets the user select an action in a menu, or asks for what one action needs, and runs it.
struct PickCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick",
        abstract: "Choose an action in a menu, and run it.",
        discussion: """
            The menu is any program that reads lines and prints the chosen one; it gets a prompt in XCALLBACK_PROMPT. It \
            runs for the action, unless one is given, and for each missing parameter. Without --menu, it is \
            $XCALLBACK_MENU, or the first that works: fzf or a list on a terminal; fuzzel, wofi, bemenu, rofi on Wayland; \
            rofi, dmenu on X11; zenity or kdialog. The answer is a notification, or a window if it is long; with --print, \
            or if standard output is a terminal, it is printed as by 'xcallback open'.

            Example: xcallback pick notes:/notes/:id/append --param id=7

            Exit status: as of 'xcallback open'; also 3 if the menu was closed, 69 if it failed.
            """
    )

    @Argument(
        help: ArgumentHelp("The name of a route, or a URL. Default: the menu shows all routes.", valueName: "action"),
        completion: .live(.action))
    var action: String?

    @OptionGroup var parameters: ParameterOptions

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
        var menus = Menus(menu)
        let routes = try await ReplyWatch.wait("to list its routes") {
            let routes = try await daemon.routes(beginningWith: nil, reachedFrom: action == nil ? .socket : nil)
            guard let origin else { return routes }
            let reached = try await daemon.routes(beginningWith: nil, reachedFrom: origin.origin).compactMap(\.id)
            return routes.filter { reached.contains($0.id ?? "") }
        }
        let chosen = action == nil ? try choose(among: routes, with: &menus) : nil
        let target = try await parameters.target(action ?? chosen?.name ?? "") { prefix in
            // Routes of one name can differ by their input.
            chosen.map { [$0] } ?? routes.filter { $0.name.hasPrefix(prefix) }
        } completing: { route, items in
            try (chosen ?? route).complete(&items, with: &menus)
        }
        try OpenCommand.check(target.url)
        let answer = try await ReplyWatch.waitForAnswer(of: location) {
            try await daemon.open(target.url, answeredBy: target.route?.id)
        }
        if prints || isatty(STDOUT_FILENO) == 1 || !Menu.hasDisplay {
            try answer.print()
        } else {
            UserNotice.showAll((chosen ?? target.route)?.title ?? action ?? "xcallback", answer.noticeText)
        }
        let status = ExitStatus(answer)
        if status != .success { throw ExitCode(status.rawValue) }
    }

    /// Lets the user choose one of the routes whose policies do not refuse all requests of this command.
    private func choose(among all: [Client.CatalogueRoute], with menus: inout Menus) throws(Failure)
        -> Client.CatalogueRoute
    {
        let routes = all.filter { route in
            Set(route.policies).isDisjoint(with: ["app", "executable", "token"])
        }
        // A daemon whose configuration has faults has none while it ends.
        if routes.isEmpty { throw Failure(.unknownAction, "no actions to choose from: run 'xcallback doctor'") }
        var counts: [String: Int] = [:]
        let lines = routes.map { route in
            let line = (route.title.map { "\($0) (\(route.name))" } ?? route.name).withVisibleControls
            counts[line, default: 0] += 1
            return counts[line] == 1 ? line : "\(line) [\(counts[line, default: 0])]"
        }
        let line = try menus.choose(MenuQuestion(lines: lines, prompt: "action", text: "action"))
        guard let index = lines.firstIndex(of: line) else {
            throw Failure(.usage, "'\(line.withVisibleControls)' is not one of the actions; nothing was sent")
        }
        return routes[index]
    }
}

extension Client.CatalogueRoute {
    /// Asks for the required parameters that have no value.
    func complete(_ items: inout QueryItems, with menus: inout Menus) throws(Failure) {
        for parameter in parameters where parameter.isRequired && !items.contains(where: { $0.name == parameter.name })
        {
            for value in try parameter.ask(with: &menus) { items.append(parameter.name, value) }
        }
    }
}

extension Client.CatalogueRoute.Parameter {
    /// How often a question is asked again after a wrong value.
    private static let roundLimit = 10

    /// Asks for the values, again after a wrong one; a typed list is separated by commas.
    fileprivate func ask(with menus: inout Menus) throws(Failure) -> [String] {
        let words = wordsOfValues
        let summary = description?.split(separator: "\n").first.map(String.init)
        let kind = words.isEmpty ? typeText : elementType ?? type ?? ""
        let bounds = words.isEmpty && kind != "string" ? " (\(kind))" : ""
        let meaning = summary.map { $0 + bounds } ?? kind
        var mistake: String?
        for _ in 0..<Self.roundLimit {
            let text = "\(name): \(mistake.map { "must be \($0); " } ?? "")\(meaning)".withVisibleControls
            let prompt = (mistake.map { "\(name) must be \($0)" } ?? name).withVisibleControls.prefix(40)
            let line = try menus.choose(MenuQuestion(lines: words, prompt: String(prompt), text: text))
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
