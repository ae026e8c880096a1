package import XCallbackWire

/// A message from a client (JSON-RPC 2.0).
enum ClientMessage {
    /// A request, whose id is a string or an integer.
    case request(id: JSONValue, method: String, parameters: JSONValue)
    /// A notification, which gets no answer.
    case notification(method: String, parameters: JSONValue)
    /// A response; the server sends no requests, so it is ignored.
    case response

    /// Reads a message.
    init(_ value: JSONValue) throws(ProtocolError) {
        // A response is never answered, even without a usable id: its sender could answer in turn.
        if value["method"] == nil, value["result"] != nil || value["error"] != nil {
            self = .response
            return
        }
        let id = Self.id(of: value)
        guard case .object = value, value["jsonrpc"] == "2.0", value["id"] == nil || id != nil else {
            throw ProtocolError(
                .invalidRequest,
                "A message is an object with \"jsonrpc\": \"2.0\", and an id that is a string or an integer.")
        }
        guard let method = value["method"]?.text else {
            throw ProtocolError(.invalidRequest, "The message has no method.")
        }
        let parameters = value["params"] ?? [:]
        guard let id else {
            // A notification is never answered: one with unreadable parameters is ignored.
            self = .notification(method: method, parameters: parameters)
            return
        }
        guard case .object = parameters else {
            throw ProtocolError(.invalidParameters, "'params' must be an object.")
        }
        self = .request(id: id, method: method, parameters: parameters)
    }

    /// Returns the id of a message, also of an invalid one; nil if it has none that is a string or an integer.
    static func id(of value: JSONValue) -> JSONValue? {
        value["id"].flatMap { $0.text != nil || $0.integer != nil ? $0 : nil }
    }
}

/// The reason why a request has no result.
package struct ProtocolError: Error, Hashable, Sendable {
    /// The kind of error (JSON-RPC 2.0 §5.1; the last one is from MCP 2026-07-28).
    package enum Code: Int, Sendable {
        case parseError = -32700
        case invalidRequest = -32600
        case unknownMethod = -32601
        case invalidParameters = -32602
        case internalError = -32603
        case unsupportedRevision = -32022
    }

    package let code: Code
    package let message: String
    /// Additional data.
    let data: JSONValue?

    package init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Returns the message that reports the error; its id is null where that of the request is unknown (JSON-RPC 2.0 §5).
    func message(to id: JSONValue) -> JSONValue {
        let error: [JSONValue.Member] = .init(present: [
            "code": .number(JSONNumber(code.rawValue)), "message": .string(message), "data": data,
        ])
        return ["jsonrpc": "2.0", "id": id, "error": .object(error)]
    }
}

/// A revision of the Model Context Protocol.
///
/// The tools are the same in all of them; what differs is here.
///
/// | revision   | begins with               | several messages in a line |
/// |------------|---------------------------|----------------------------|
/// | 2024-11-05 | a handshake               | no                         |
/// | 2025-03-26 | a handshake               | yes (a batch)              |
/// | 2025-06-18 | a handshake               | no                         |
/// | 2025-11-25 | a handshake               | no                         |
/// | 2026-07-28 | nothing: each request     | no                         |
/// |            | carries its own revision  |                            |
enum Revision: String, CaseIterable {
    case november2024 = "2024-11-05"
    case march2025 = "2025-03-26"
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    case july2026 = "2026-07-28"

    /// The revision in which each request carries its own revision.
    static let stateless = july2026
    /// The revision offered to a client that requests a handshake of an unsupported revision.
    static let newestWithHandshake = november2025

    /// Whether the revision starts with a handshake (`initialize`), which sets the revision for the whole conversation.
    var hasHandshake: Bool { self != .stateless }
    /// Whether a line may be an array of messages.
    var hasBatches: Bool { self == .march2025 }
}

/// The names of a message's metadata (`_meta`).
enum MetaKey {
    static let revision = "io.modelcontextprotocol/protocolVersion"
    static let clientCapabilities = "io.modelcontextprotocol/clientCapabilities"
    static let clientInfo = "io.modelcontextprotocol/clientInfo"
    static let serverInfo = "io.modelcontextprotocol/serverInfo"
    static let subscription = "io.modelcontextprotocol/subscriptionId"
}
