import ArgumentParser
import Glibc
import XCallbackBuiltIns
import XCallbackClient
import XCallbackJSON
import XCallbackLinux
import XCallbackPipeline

/// Explains how the daemon would handle a URL.
struct ExplainCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show how a URL would be handled, and why.",
        discussion: """
            Shows the routes that were tried and why each does not match, what each middleware changes, what each \
            policy decides, what would run, and the answer for each outcome. Runs nothing, asks no questions and \
            counts toward no rate limit. Root and the daemon's user can explain requests of other users. With \
            --config, no daemon is needed.

            Example: xcallback explain --origin desktop 'notes:/new?title=Milk'

            Exit status: 0 success, whatever the outcome of the URL; 7 daemon not reachable, 64 usage, 78 \
            configuration faults, which are printed on standard error, and with --json also as an object with \
            'faults'.
            """
    )

    @Argument(help: ArgumentHelp("The URL, or the name of a route.", valueName: "url"), completion: .live(.action))
    var url: String

    @OptionGroup var parameters: ParameterOptions

    @Option(help: "The origin of the request: socket, desktop (as from a web page) or agent (an assistant).")
    var origin = RequestOrigin.socket

    @Option(
        help: ArgumentHelp("The user that sends it, by name or number. Default: the current user.", valueName: "user"))
    var peer: String?

    @Option(
        name: .customLong("group"),
        help: ArgumentHelp(
            "A group of the user, the primary group first. Can be repeated. Default: the user's groups.",
            valueName: "group"))
    var groups: [String] = []

    @Option(
        help: ArgumentHelp("Read this configuration instead of asking the daemon.", valueName: "file"),
        completion: .file())
    var config: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let explanation: JSONValue
        var target = ParameterOptions.Target(url: url, route: nil)
        if let config {
            let configuration = try RouterConfiguration(checking: config, isForProgram: json)
            if !parameters.isEmpty {
                let routes = try [Client.Route](reading: configuration.routesJSON)
                target = try await parameters.target(url) { _ in routes }
            }
            explanation = try explain(target.url, with: configuration)
        } else {
            if !parameters.isEmpty {
                target = try await parameters.target(url, of: daemon)
            }
            let named = peer == nil && groups.isEmpty ? nil : try sender()
            let call = Client.explaining(target.url, origin.origin, for: named)
            let reply = try await ReplyWatch.wait("to explain the URL") { try await daemon.call("Explain", call) }
            explanation = reply["explanation"] ?? .null
        }
        if json { return try Terminal.print(explanation) }
        let text = try ExplanationText(explanation: Client.Explanation(reading: explanation), askerID: geteuid())
        try Terminal.print(text)
        if let route = target.route, text.explanation.hops.first?.route != route.name {
            // 'open' requests the answer of the named route.
            Terminal.printError(
                "note: \(route.name.withVisibleControls) does not answer this URL, so 'open' with its name fails with error "
                    + "404")
        }
        if config == nil, text.explanation.hops.last?.route == nil {
            await SystemRoutes(besides: location)?.tell(of: target.url)
        }
    }

    private func explain(_ url: String, with configuration: RouterConfiguration) throws -> JSONValue {
        let bytes = Array(url.utf8)
        guard bytes.count <= configuration.limits.line else {
            throw Failure(
                .usage, "the URL has \(bytes.count) bytes: the limit is \(configuration.limits.line) (limits: line)")
        }
        let (userID, groupIDs) = try sender()
        let sender = ImaginedSender(userID: userID, groupIDs: groupIDs)
        var state = PipelineState()
        state.peers = sender
        return configuration.pipeline.explain(
            bytes.span, from: sender.peer, origin: origin.origin, state: state
        ).json()
    }

    private func sender() throws -> (userID: UInt32, groupIDs: [UInt32]) {
        let userID = try peer.map { try Self.number($0, UserDatabase.userID, "user") } ?? geteuid()
        let named = try groups.map { try Self.number($0, UserDatabase.groupID, "group") }
        let groupIDs = named.isEmpty ? (peer == nil ? Self.ownGroupIDs() : UserDatabase.groupIDs(of: userID)) : named
        guard let groupIDs, !groupIDs.isEmpty else {
            throw ValidationError("The groups of user \(userID) are unknown: give them with '--group'.")
        }
        return (userID, groupIDs)
    }

    /// The groups of the caller, the primary one first.
    private static func ownGroupIDs() -> [UInt32] {
        var groups = [UInt32](repeating: 0, count: 1 << 16)
        let count = getgroups(Int32(groups.count), &groups)
        return [getegid()] + groups.prefix(max(Int(count), 0))
    }

    /// Returns the number of a user or group.
    private static func number(_ name: String, _ lookUp: (String) -> UInt32?, _ kind: String) throws -> UInt32 {
        // The highest number stands for no user or group (setuid(2), setgid(2)).
        guard let number = UInt32(name) ?? lookUp(name), number != .max else {
            throw ValidationError("No \(kind) is called '\(name.withVisibleControls)'.")
        }
        return number
    }
}

/// The origins that the command line can name.
enum RequestOrigin: String, CaseIterable, ExpressibleByArgument {
    case socket, desktop, agent

    /// A client that has not requested the list may have an earlier one; it is notified if the first known list differs.
    var origin: Origin {
        switch self {
        case .socket: .socket
        case .desktop: .desktop
        case .agent: .agent
        }
    }

    /// Whether requests of this origin reach a route.
    func reaches(_ route: Client.Route) -> Bool {
        switch self {
        case .socket: true
        case .desktop: route.isPublic
        case .agent: route.agentName != nil
        }
    }
}
