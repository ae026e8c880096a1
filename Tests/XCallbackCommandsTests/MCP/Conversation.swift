import Testing
import XCallbackAdministration
import XCallbackClient
import XCallbackCommands
import XCallbackTesting
import XCallbackWire

/// A client's side of a conversation with ``ToolServer``.
struct Conversation {
    /// What a request of 2026-07-28 says of itself, without a name of the client.
    static let meta = """
        {"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}
        """
    /// The server's name and version, as it tells them.
    static let serverInfo: JSONValue = ["name": "xcallback", "title": "Actions of xcallbackd", "version": "1.2.3"]

    var server = ToolServer(version: "1.2.3")

    /// Begins with nothing, or after a handshake.
    init(afterHandshake isInitialized: Bool = false) {
        guard isInitialized else { return }
        _ = receive(#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#)
        _ = receive(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
    }

    /// Sends a line.
    mutating func receive(_ line: String) -> [ToolServer.Step] { server.receive(Array(line.utf8).span) }

    /// Sends a request of 2026-07-28; its parameters besides `_meta` end in a comma.
    mutating func request(_ id: String, _ method: String, _ parameters: String = "") -> [ToolServer.Step] {
        receive(
            #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":{\#(parameters)"_meta":\#(Self.meta)}}"#)
    }

    /// Sends a line that is answered at once, with one message.
    mutating func answer(to line: String, at location: SourceLocation = #_sourceLocation) throws -> JSONValue {
        try Self.message(of: receive(line), location)
    }

    /// Sends a request of 2026-07-28 that is answered at once, with one message.
    mutating func answer(
        to id: String, _ method: String, _ parameters: String = "", at location: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        try Self.message(of: request(id, method, parameters), location)
    }

    private static func message(of steps: [ToolServer.Step], _ location: SourceLocation) throws -> JSONValue {
        guard steps.count == 1, case .send(let message) = steps[0] else {
            throw TestFailure("there is no one answer, but \(steps)")
        }
        return message
    }

    /// Asks for a part of the list, which is made of some tools.
    mutating func list(_ tools: [Tool], after cursor: String? = nil) throws -> JSONValue {
        let cursor = cursor.map { #""cursor":"\#($0)","# } ?? ""
        guard case .list(let request)? = request("\"list\"", "tools/list", cursor).first else {
            throw TestFailure("it is no request for a list")
        }
        guard let answer = server.list(request, among: tools) else { throw TestFailure("it is not answered") }
        return answer["result"] ?? .null
    }

    /// Ends a call; nil if nobody is told.
    mutating func end(_ call: ToolServer.ToolCall, with outcome: Outcome) -> JSONValue? {
        server.answer(to: call, with: outcome)
    }

    /// Calls a tool.
    mutating func call(_ id: String, _ parameters: String = "") throws -> ToolServer.ToolCall {
        guard case .call(let call)? = request(id, "tools/call", #""name":"add",\#(parameters)"#).first else {
            throw TestFailure("it is no call")
        }
        return call
    }

    /// Cancels a request.
    mutating func cancel(_ id: String) -> [ToolServer.Step] {
        receive(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id),"reason":"no"}}"#)
    }
}

/// The value that a text is.
func json(_ text: String) throws -> JSONValue {
    try JSONValue(parsing: Array(text.utf8).span, maximumSize: 1 << 22)
}

extension Tool {
    /// A tool of a route that has these members besides its name.
    static func sample(_ members: String = "", named name: String = "notes_add") throws -> Tool {
        try #require(
            Tool(Client.CatalogueRoute(reading: try json(#"{"route":"notes:/add","agent":"\#(name)"\#(members)}"#))))
    }

    /// A tool with one parameter, called `value`.
    static func taking(_ members: String) throws -> Tool {
        try sample(#","input":[{"name":"value","place":"query","required":true,\#(members)}]"#)
    }

    /// A tool that promises one item, called `value`.
    static func returning(_ members: String) throws -> Tool {
        try sample(#","returns":[{"name":"value","place":null,"required":true,\#(members)}]"#)
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    /// Creates a whole number.
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
}
