import ArgumentParser
import XCallbackClient

/// Serves the routes that are offered to assistants.
struct MCPCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Offer routes to an assistant as tools (MCP).",
        discussion: """
            Clients such as Claude Desktop, Claude Code and VS Code start this command and use its standard input and \
            output. Each route with 'agent' is a tool; 'xcallback routes --origin agent' lists them. Requests of the \
            assistant have the origin 'agent' and reach no other routes. If the user answers a question ('confirm') \
            with no, that is final: a client cannot change it.

            Example: claude mcp add xcallback -- xcallback mcp
            Example: xcallback mcp --scheme notes --verbose

            Exit status: 0 end of standard input, 64 usage, 74 input not readable.
            """
    )

    @Option(
        name: .customLong("scheme"),
        help: ArgumentHelp("Offer only routes of this scheme. Can be repeated.", valueName: "scheme"),
        completion: .live(.scheme))
    var schemes: [String] = []

    @Flag(help: "Log each call on standard error: tool, outcome and duration, but no values.")
    var verbose = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        try await ToolBridge(daemon, schemes: schemes.map { $0.lowercased() }, isVerbose: verbose).run()
    }
}
