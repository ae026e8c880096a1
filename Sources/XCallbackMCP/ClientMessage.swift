package import XCallbackJSON

/// What a client sends (JSON-RPC 2.0).
enum ClientMessage {
    /// It wants an answer, under an id that is a text or a whole number.
    case request(id: JSONValue, method: String, parameters: JSONValue)
    /// It wants none.
    case notification(method: String, parameters: JSONValue)
    /// It answers something; nothing is asked of clients.
    case response

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - line: The message.
    ///   - limit: How many bytes it may have.
    /// - Throws: ``Refusal`` if it is none.
    init(parsing line: Span<UInt8>, limit: Int) throws(Refusal) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: line, maximumSize: limit)
        } catch {
            if case .tooLong = error.reason { throw .tooLong(limit: limit) }
            throw Refusal(id: .null, ProtocolError(.parseError, "The line is not JSON: \(error)."))
        }
        // A response is never answered, even one without a usable id: its sender could answer that again.
        if value["method"] == nil, value["result"] != nil || value["error"] != nil {
            self = .response
            return
        }
        let id = value["id"]
        let usableId = id.flatMap { $0.isRequestID ? $0 : nil }
        guard case .object = value, value["jsonrpc"] == .string("2.0"), id == nil || usableId != nil else {
            throw Refusal(
                id: usableId ?? .null,
                ProtocolError(
                    .invalidRequest,
                    "A message is an object with \"jsonrpc\": \"2.0\", and an id that is a string or an integer."))
        }
        guard let method = value["method"]?.text else {
            throw Refusal(id: usableId ?? .null, ProtocolError(.invalidRequest, "The message has no method."))
        }
        let parameters = value["params"] ?? [:]
        guard let usableId else {
            // No notification is answered: one whose parameters cannot be read means nothing.
            self = .notification(method: method, parameters: parameters)
            return
        }
        guard case .object = parameters else {
            throw Refusal(id: usableId, ProtocolError(.invalidParameters, "'params' must be an object."))
        }
        self = .request(id: usableId, method: method, parameters: parameters)
    }

    /// Why a line is no message, and what it asks for if that is known.
    struct Refusal: Error {
        /// The id; null if it is not known.
        let id: JSONValue
        let error: ProtocolError

        init(id: JSONValue, _ error: ProtocolError) {
            self.id = id
            self.error = error
        }

        /// The refusal of a line that is too long to be read.
        static func tooLong(limit: Int) -> Self {
            Self(id: .null, ProtocolError(.invalidRequest, "A message has at most \(limit) bytes."))
        }

        /// The message that tells of it.
        var message: JSONValue { error.message(to: id) }
    }
}

/// Why a request has no result.
package struct ProtocolError: Error, Hashable, Sendable {
    /// What kind of error it is (JSON-RPC 2.0 §5.1; the last one is of MCP 2026-07-28).
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
    /// What else it tells.
    let data: JSONValue?

    /// Creates an error.
    package init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// A message that tells of it.
    func message(to id: JSONValue) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("code", .number(JSONNumber(code.rawValue))), .init("message", .string(message)),
        ]
        if let data { members.append(.init("data", data)) }
        // The schemas of the protocol know no id that is null: it is left out where it is not known.
        let answered: [JSONValue.Member] = id == .null ? [] : [.init("id", id)]
        return .object([.init("jsonrpc", "2.0")] + answered + [.init("error", .object(members))])
    }
}

extension JSONValue {
    /// Whether a request can have it as its id.
    fileprivate var isRequestID: Bool { text != nil || integer != nil }
}
