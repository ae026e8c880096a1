import ArgumentParser
import Glibc
import XCallbackBuiltIns
import XCallbackJSON
import XCallbackPipeline

/// Tells what would become of a URL.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tell what would become of a URL, and why; no daemon is needed.",
        discussion: """
            It shows which routes were tried and why each does not match, what each middleware changes, what each policy \
            says, what would run, and the answer for each outcome. It runs nothing, asks nobody and counts for no rate.

            Example: xcallback explain --origin desktop 'notes:/create?title=Milk'

            Exit status: 0 whatever would become of the URL, 64 usage, 78 faults of the configuration, which are \
            printed on standard error.
            """
    )

    @Argument(help: ArgumentHelp("The URL.", valueName: "url"))
    var url: String

    @Option(help: "The way on which it comes in: socket, or desktop as from a web page.")
    var origin = RequestOrigin.socket

    @Option(help: ArgumentHelp("Who sends it, a name or a number; you if it is left out.", valueName: "user"))
    var user: String?

    @Option(
        help: ArgumentHelp(
            "The group of who sends it, a name or a number; that of the user if it is left out.", valueName: "group"))
    var group: String?

    @Option(help: ArgumentHelp("The configuration instead of the one that the daemon would read.", valueName: "file"))
    var config: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let peer = try peer()
        let configuration = try RouterConfiguration(checking: config)
        let bytes = Array(url.utf8)
        guard bytes.count <= configuration.limits.line else {
            throw Failure(
                .usage, "the URL has \(bytes.count) bytes: the limit is \(configuration.limits.line) (limits: line)")
        }
        let explanation = configuration.pipeline.explain(bytes.span, from: peer, origin: origin.origin)
        let text = ExplanationText(explanation, askedBy: geteuid())
        try Output.print(json ? explanation.json.description : text.description)
    }

    private func peer() throws -> Peer {
        let userID = try Self.number(user, UserDatabase.userID, "user") ?? geteuid()
        let ownGroup = user == nil ? getegid() : UserDatabase.primaryGroupID(of: userID)
        let groupID = try Self.number(group, UserDatabase.groupID, "group") ?? ownGroup
        guard let groupID else {
            throw ValidationError("The group of user \(userID) is not known: name it with '--group'.")
        }
        return Peer(userID: userID, groupID: groupID, processID: 0)
    }

    /// The number of a user or a group; nil if none is named.
    private static func number(
        _ name: String?, _ lookUp: (String) -> UInt32?, _ kind: String
    ) throws -> UInt32? {
        guard let name else { return nil }
        // The highest number stands for nobody (setuid(2), setgid(2)).
        guard let number = UInt32(name) ?? lookUp(name), number != .max else {
            throw ValidationError("No \(kind) is called '\(name.withVisibleControls)'.")
        }
        return number
    }
}

/// The origins that can be asked for.
enum RequestOrigin: String, CaseIterable, ExpressibleByArgument {
    case socket, desktop

    /// The origin in a pipeline.
    var origin: Origin {
        switch self {
        case .socket: .socket
        case .desktop: .desktop
        }
    }
}
