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
            runs for the action, unless one is given, and for each parameter without a value; zenity shows them in one form. \
            Nothing is asked if --param gives all that is required. Without --menu, the menu is \
            $XCALLBACK_MENU, or the first that works: fzf or a list on a terminal; fuzzel, wofi, bemenu, rofi on Wayland; \
            rofi, dmenu on X11; zenity or kdialog. The answer is a notification, or a window if it is long; with --print, \
            or if standard output is a terminal, it is printed as by 'xcallback open'.

            Example: xcallback pick notes:/notes/:id/append --param id=7

            Exit status: as of 'xcallback open'; also 3 if the menu was closed, 69 if none works.
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
            // A command that names values asks no more than it must.
            try (chosen ?? route).complete(&items, isWhole: items.isEmpty, with: &menus)
        }
        try OpenCommand.check(target.url)
        let route = chosen ?? target.route
        let isPrinted = prints || Terminal.isForeground(STDOUT_FILENO) || !Menu.hasDisplay
        let answer: Client.Answer
        if isPrinted {
            answer = try await ReplyWatch.waitForAnswer(of: location, showsProgress: true) { progress in
                try await daemon.open(target.url, answeredBy: target.route?.id, progress: progress)
            }
        } else {
            let alarm = ReplyWatch.alarm(of: location, help: ", or for yours if a question is open")
            defer { alarm.cancel() }
            answer = try await ProgressNotice.whileShown(
                route?.title ?? route?.name ?? "xcallback", of: daemon, hidingText: route?.hasSecret ?? false
            ) { show in
                try await daemon.open(target.url, answeredBy: target.route?.id) { progress in
                    alarm.cancel()
                    show(progress)
                }
            }
        }
        if isPrinted {
            try answer.print()
        } else {
            let text = answer.noticeText(of: route)
            let lines = text.split(separator: "\n").map { String($0).withVisibleControls }
            if !UserNotice.showAll(route?.title ?? action ?? "xcallback", text), !menus.show(lines) {
                try Terminal.print(lines.joined(separator: "\n"))
            }
        }
        let status = ExitStatus(answer)
        if status != .success { throw ExitCode(status.rawValue) }
    }

    /// Lets the user choose one of the routes whose policies do not refuse all requests of this command.
    private func choose(among all: [Client.CatalogueRoute], with menus: inout Menus) throws(Failure)
        -> Client.CatalogueRoute
    {
        let possible = all.filter { route in
            Set(route.policies).isDisjoint(with: ["app", "executable", "token"])
        }
        let routes = possible.filter { !$0.isForPrograms } + possible.filter(\.isForPrograms)
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
    /// Whether programs or links of the web call it, and hardly a person.
    fileprivate var isForPrograms: Bool {
        policies.contains("origin") || ["http:", "https:"].contains { name.hasPrefix($0) }
    }

    /// Whether a parameter is a secret, which any text can repeat.
    fileprivate var hasSecret: Bool { parameters.contains(where: \.isSecret) }
}

extension Client.Answer {
    /// The answer in a few lines, without secrets: other people see the screen, and servers keep what they have shown.
    fileprivate func noticeText(of route: Client.CatalogueRoute?) -> String {
        let isSecret = route?.hasSecret ?? false
        switch response {
        case .success(let items):
            if items.isEmpty { return "Done." }
            let secrets = route?.returns?.filter(\.isSecret).map(\.name) ?? []
            return items.map { item in
                isSecret || secrets.contains(item.name) ? "\(item.name): not shown" : item.value ?? item.name
            }.joined(separator: "\n")
        case .error(let error):
            return isSecret ? "Error \(error.code.rawValue), not shown" : error.text(cause: cause)
        case .cancel: return "Cancelled."
        case .redirect(let target): return isSecret ? "A URL, not shown" : target.text
        }
    }
}
