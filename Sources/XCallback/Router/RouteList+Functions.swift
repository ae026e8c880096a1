public import XCallbackPipeline
import XCallbackURL

// Functions can be synchronous or asynchronous, and can throw. An error becomes the answer: a ``CallbackError`` or
// ``CallbackErrorConvertible`` determines its text, ``ActionCancelled`` is a cancel, and any other error is reported
// only as a failure of the handler.
//
// All are explicitly `@concurrent`. This module uses NonisolatedNonsendingByDefault, its dependents usually do not, and
// the compiler crashes when it converts their static methods to function types without explicit isolation.
//
// A closure with a single expression can also discard its value, and a closure that only throws can return any type. To
// select the intended overload, each function that returns a response exists twice: with a generic type, for
// expressions that are responses, and with the type itself, for `.cancel` and the like.

extension RouteList {
    /// Answers actions with a function without input and output.
    public mutating func route(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable () async throws -> Void
    ) {
        add(pattern, isPublic, policies, about, file, line) { _ in
            try await handler()
            return .success(QueryItems())
        }
    }

    /// Answers actions with a function that returns a value, which goes to `x-success`.
    public mutating func route<Output: Encodable & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable () async throws -> Output
    ) {
        let encoder = QueryEncoder(style: style)
        add(pattern, isPublic, policies, about, file, line) { _ in
            .success(try encoder.encode(await handler(), named: outputName))
        }
    }

    /// Answers actions with a function that returns a type convertible to a response.
    public mutating func route<Outcome: ResponseConvertible & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable () async throws -> Outcome
    ) {
        add(pattern, isPublic, policies, about, file, line) { _ in try await handler().response }
    }

    /// Answers actions with a function that returns the response.
    @_disfavoredOverload
    public mutating func route(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable () async throws -> Response
    ) {
        add(pattern, isPublic, policies, about, file, line) { _ in try await handler() }
    }

    /// Answers actions with a function that takes a value and returns nothing.
    ///
    /// The value is decoded from the captures of the path and the query. If that fails, the answer is an error that names the
    /// parameter, and the function does not run.
    public mutating func route<Input: Decodable & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Input) async throws -> Void
    ) {
        let decoder = QueryDecoder(style: style)
        add(pattern, isPublic, policies, about, file, line, taking: Input.self) { request in
            try await handler(decoder.input(of: request))
            return .success(QueryItems())
        }
    }

    /// Answers actions with a function that takes a value and returns a value, which goes to `x-success`.
    ///
    /// The input is decoded from the captures of the path and the query. If that fails, the answer is an error that names the
    /// parameter, and the function does not run.
    public mutating func route<Input: Decodable & SendableMetatype, Output: Encodable & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Input) async throws -> Output
    ) {
        let (decoder, encoder) = (QueryDecoder(style: style), QueryEncoder(style: style))
        add(pattern, isPublic, policies, about, file, line, taking: Input.self) { request in
            .success(try encoder.encode(await handler(decoder.input(of: request)), named: outputName))
        }
    }

    /// Answers actions with a function that takes a value and returns a type convertible to a response.
    ///
    /// The value is decoded from the captures of the path and the query. If that fails, the answer is an error that names the
    /// parameter, and the function does not run.
    public mutating func route<Input: Decodable & SendableMetatype, Outcome: ResponseConvertible & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Input) async throws -> Outcome
    ) {
        let decoder = QueryDecoder(style: style)
        add(pattern, isPublic, policies, about, file, line, taking: Input.self) { request in
            try await handler(decoder.input(of: request)).response
        }
    }

    /// Answers actions with a function that takes a value and returns the response.
    ///
    /// The value is decoded from the captures of the path and the query. If that fails, the answer is an error that names the
    /// parameter, and the function does not run.
    @_disfavoredOverload
    public mutating func route<Input: Decodable & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Input) async throws -> Response
    ) {
        let decoder = QueryDecoder(style: style)
        add(pattern, isPublic, policies, about, file, line, taking: Input.self) { request in
            try await handler(decoder.input(of: request))
        }
    }
}

extension RouteList {
    /// Answers actions by publishing the request to all that wait for an event: ``Router/events(_:buffering:)``.
    ///
    /// The answer comes at once, with the number of streams that the request reached as `reached`.
    public mutating func route(
        _ pattern: String, event: String, isPublic: Bool? = nil, policies: [Check] = [],
        about: About? = nil, file: StaticString = #fileID, line: Int = #line
    ) {
        let hub = hub
        add(pattern, isPublic, policies, about, file, line) { request in
            .success(["reached": "\(hub.publish(request, to: event))"])
        }
    }
}

extension RouteList {
    mutating func add(
        _ pattern: String, _ isPublic: Bool?, _ policies: [Check], _ about: About?, _ file: StaticString,
        _ line: Int,
        taking input: (any (Decodable & SendableMetatype).Type)? = nil,
        _ body: @concurrent @escaping @Sendable (Request) async throws -> Response
    ) {
        let place = SourcePlace(file: "\(file)", line: line)
        add(pattern, to: HandlerFunction(body: body), isPublic, policies, about, place, taking: input)
    }
}

/// The item name of a handler's output that is a single value, the same as for the output of programs.
let outputName = "result"
/// The item name of a handler's input that is a single value.
let inputName = "value"

/// A handler that is a function.
private struct HandlerFunction: AsyncHandler {
    let body: @concurrent @Sendable (Request) async throws -> Response

    func handle(_ request: Request) async throws -> Response {
        try await body(request)
    }
}

extension QueryDecoder {
    /// Decodes the input of a request.
    ///
    /// - Throws: ``UnreadableInput``.
    func input<Input: Decodable>(of request: Request) throws -> Input {
        do {
            return try decode(Input.self, from: request.parameters)
        } catch {
            throw UnreadableInput(cause: error)
        }
    }
}

/// The input of a request is invalid.
struct UnreadableInput: CallbackErrorConvertible {
    /// The reason.
    let cause: any Error

    /// The error from the decoder or the input, or one that names the parameter.
    var callbackError: CallbackError {
        if let visible = cause as? any CallbackErrorConvertible { return visible.callbackError }
        guard let context = (cause as? DecodingError)?.context else {
            return CallbackError(.badParameter, "The parameters are not what this action expects.")
        }
        if let visible = context.underlyingError as? CallbackError { return visible }
        let name = context.codingPath.map(\.stringValue).joined(separator: ".")
        return CallbackError(
            .badParameter,
            name.isEmpty
                ? "The parameters are not what this action expects."
                : "Parameter '\(name)' is not what this action expects.")
    }
}

extension DecodingError {
    /// The position and the reason of the error.
    var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}
