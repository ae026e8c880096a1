import ArgumentParser
import Glibc
import XCallbackAdministration
import XCallbackBuiltIns
import XCallbackClient
import XCallbackLinux
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Explains how the daemon would handle a URL.
struct ExplainCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show how a URL would be handled, and why.",
        discussion: """
            Prints the result first, then the routes that were tried and why each does not match, and the stages with \
            what would run. No stage runs: no question is asked, no secret is compared, and nothing counts toward a \
            rate limit. With --config, no daemon is needed.

            Example: xcallback explain --origin desktop 'notes:/new?title=Milk'

            Exit status: 0 success, whatever the result for the URL; 7 daemon not reachable, 64 usage, 78 \
            configuration faults, which are printed on standard error, and with --json also as an object with \
            'faults'.
            """
    )

    @Argument(help: ArgumentHelp("The URL, or the name of a route.", valueName: "url"), completion: .live(.action))
    var url: String

    @OptionGroup var parameters: ParameterOptions

    @Option(help: "The origin of the request: socket, desktop (as from a web page) or agent (an assistant).")
    var origin = RequestOrigin.socket

    @OptionGroup var source: ConfigurationOption

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let explanation: JSONValue
        var target = ParameterOptions.Target(url: url, route: nil)
        if let config = source.config {
            let configuration = try RouterConfiguration(checking: config, isForProgram: json)
            if !parameters.isEmpty {
                target = try await parameters.target(url) { _ in configuration.routes }
            }
            explanation = try explain(target.url, with: configuration)
        } else {
            if !parameters.isEmpty {
                target = try await parameters.target(url, of: daemon)
            }
            let call = Client.explaining(target.url, origin.origin)
            let reply = try await ReplyWatch.wait("to explain the URL") { try await daemon.call("Explain", call) }
            explanation = reply["explanation"] ?? .null
            await warnOfChange(of: daemon)
        }
        if json { return try Terminal.print(explanation) }
        let shown = Client.Explanation(reading: explanation)
        try Terminal.print(shown.text)
        if let route = target.route, shown.hops.first?.route != route.name {
            // 'open' requests the answer of the named route.
            Terminal.printError(
                "note: \(route.name.withVisibleControls) does not answer this URL, so 'open' with its name fails with error "
                    + "404")
        }
    }

    private func explain(_ url: String, with configuration: RouterConfiguration) throws -> JSONValue {
        let bytes = Array(url.utf8)
        guard bytes.count <= configuration.limits.line else {
            throw Failure(
                .usage, "the URL has \(bytes.count) bytes: the limit is \(configuration.limits.line) (limits: line)")
        }
        let peer = Peer(userID: geteuid(), groupID: getegid(), processID: getpid())
        return configuration.pipeline.explain(bytes.span, from: peer, origin: origin.origin).json()
    }
}

/// The origins that the command line can name.
enum RequestOrigin: String, CaseIterable, ExpressibleByArgument {
    case socket, desktop, agent

    /// The origin of the requests.
    var origin: Origin { Origin(rawValue: rawValue) ?? .socket }

    /// Whether requests of this origin reach a route.
    func reaches(_ route: Client.CatalogueRoute) -> Bool {
        switch self {
        case .socket: true
        case .desktop: route.isPublic
        case .agent: route.agentName != nil
        }
    }
}

extension Client.Explanation {
    /// The lines for people, without a final line feed: the result first.
    fileprivate var text: String {
        var lines = ["\(result)\(code.map { " (\($0.rawValue))" } ?? "")", ""]
        lines += TextTable([["URL", url], ["from", origin.sender]]).lines
        for (index, hop) in hops.enumerated() {
            if index > 0 { lines += ["", "redirected to \(hop.url)"] }
            lines += hop.lines
        }
        if !hints.isEmpty { lines += ["", "hints"] + hints.map { "  \($0)" } }
        return lines.map(\.withVisibleControls).joined(separator: "\n")
    }
}

extension Origin {
    /// Who sends a request of this origin, for people.
    fileprivate var sender: String {
        switch self {
        case .socket: "you"
        case .desktop: "a link or a web page"
        case .agent: "an assistant"
        case .internal: "the daemon"
        }
    }
}

extension Client.Explanation.Hop {
    /// The number of routes shown; the following ones are less similar.
    private static let shownCount = 10

    /// The lines for one URL.
    fileprivate var lines: [String] {
        var lines = ["action  \(action)", "routes"]
        lines += TextTable(candidates.prefix(Self.shownCount).map(\.cells)).lines
        if candidates.isEmpty { lines.append("  none for this URL") }
        let restCount = omittedCount + candidates.dropFirst(Self.shownCount).count
        if restCount > 0 { lines.append("  and \(restCount) more, not closer") }
        if !captures.isEmpty { lines += ["captures"] + captures.map { "  \($0.name) = \($0.value ?? "")" } }
        if !stages.isEmpty { lines += ["stages"] + stages.flatMap(\.lines) }
        return lines
    }
}

extension Client.Explanation.Candidate {
    fileprivate var cells: [String] {
        let text =
            switch verdict {
            case .answers: "answers" + (place.map { " (\($0))" } ?? "")
            case .outranked: "matches, but \(reason ?? "")"
            case .differs: "no: \(reason ?? "")"
            }
        return ["  \(route)", text]
    }
}

extension Client.Explanation.Stage {
    /// The name with the note, then the command.
    fileprivate var lines: [String] {
        let title = kind.rawValue == name ? name : "\(kind.rawValue) \(name)"
        let command = self.command.map { ["    " + $0.map(\.shellWord).joined(separator: " ")] } ?? []
        return ["  \(title)" + (note.map { ": \($0)" } ?? "")] + command
    }
}
