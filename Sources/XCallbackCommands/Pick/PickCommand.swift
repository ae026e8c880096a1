import ArgumentParser
import Glibc
import XCallbackClient
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

/// Lets the user select an action in a menu, and runs it.
struct PickCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick",
        abstract: "Choose an action in a menu, enter its parameters, and run it.",
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
        guard let line = try menu.choose(from: lines, asking: "action") else { throw Self.left }
        guard let index = lines.firstIndex(of: line) else {
            throw Failure(.usage, "'\(line.withVisibleControls)' is not one of the actions; nothing was sent")
        }
        var route = routes[index]
        var parameters = QueryItems()
        for parameter in route.parameters where parameter.isRequired {
            for value in try Self.ask(for: parameter, menu) { parameters.append(parameter.name, value) }
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

    private static let left = Failure(.cancelled, "the menu was closed; nothing was sent")

    /// Asks for the values of a parameter; a typed list is separated by commas.
    private static func ask(for parameter: Client.Route.Parameter, _ menu: Menu) throws(Failure) -> [String] {
        let type = parameter.elementType ?? parameter.type
        let words = parameter.values ?? (type == "bool" ? ["true", "false"] : [])
        let meaning = parameter.description?.split(separator: "\n").first.map(String.init) ?? type ?? ""
        let prompt = "\(parameter.name): \(meaning)".withVisibleControls
        guard let line = try menu.choose(from: words, asking: prompt) else { throw left }
        // A selection is one value, and typed text may be several.
        let isTypedList = parameter.type == "list" && !words.contains(line)
        return isTypedList ? line.split(separator: ",").map(String.init) : [line]
    }
}

extension Client.Answer {
    /// The answer in a few lines.
    fileprivate var noticeText: String {
        switch response {
        case .success(let items):
            items.isEmpty ? "Done." : items.map { $0.value ?? $0.name }.joined(separator: "\n")
        case .error(let error): "Error \(error.code.rawValue): \(error.message)"
        case .cancel: "Cancelled."
        case .redirect(let target): target.text
        }
    }
}
