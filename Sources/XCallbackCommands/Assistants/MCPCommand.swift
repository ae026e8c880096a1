import ArgumentParser
import XCallbackClient
import XCallbackMCP

/// Lets an assistant have the routes that are offered to it.
struct MCPCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Offer routes to an assistant as tools, in the Model Context Protocol.",
        discussion: """
            A server for clients such as Claude Desktop, Claude Code or VS Code, which start it and use its standard \
            input and output. Each route with 'agent' is a tool; 'xcallback routes --origin agent' lists them. \
            Requests of the assistant have the origin 'agent', and reach no other route. The user's no to a question \
            ('confirm') is final: no message of a client answers it.

            Example: claude mcp add xcallback -- xcallback mcp
            Example: xcallback mcp --scheme notes --verbose

            Exit status: 0 when standard input ends, 64 usage, 74 input not readable.
            """
    )

    @Option(
        name: .customLong("scheme"),
        help: ArgumentHelp("Offer routes of this scheme only; repeat it for several.", valueName: "scheme"),
        completion: .live(.scheme))
    var schemes: [String] = []

    @Flag(help: "Report each call on standard error: the tool, the outcome, the duration; never a value.")
    var verbose = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        try await ToolBridge(daemon, schemes: schemes.map { $0.lowercased() }, isVerbose: verbose).run()
    }
}
