public import XCallbackPipeline
import XCallbackURL

// A function may be synchronous or asynchronous, and may throw. An error becomes the answer: as it says of itself if it
// is a ``CallbackError`` or conforms to ``CallbackErrorConvertible``, a cancel if it is ``ActionCancelled``, else one
// that tells no more than that the handler failed.
//
// All are explicitly `@concurrent`. This module builds with NonisolatedNonsendingByDefault, its dependents usually do
// not, and the compiler crashes when it converts their static methods to function types without explicit isolation.
//
// The value of a closure's only expression may also be dropped, and a closure that does nothing but throw gives nothing or
// anything. So that the compiler takes the one that is meant, a response is the result of two functions each: as a generic
// type, which is taken for an expression that is a response, and as itself, for `.cancel` and the like.

extension RouteList {
    /// Answers actions with a function that takes nothing and gives nothing.
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

    /// Answers actions with a function that gives a value, which goes to `x-success`.
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

    /// Answers actions with a function that gives what is a response.
    public mutating func route<Outcome: ResponseConvertible & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable () async throws -> Outcome
    ) {
        add(pattern, isPublic, policies, about, file, line) { _ in try await handler().response }
    }

    /// Answers actions with a function that gives the response.
    @_disfavoredOverload
    public mutating func route(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable () async throws -> Response
    ) {
        add(pattern, isPublic, policies, about, file, line) { _ in try await handler() }
    }

    /// Answers actions with a function that takes a value, which is read from the captures of the path and the query, and gives nothing.
    ///
    /// What cannot be read is answered with an error that names the parameter, and the function does not run.
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

    /// Answers actions with a function that takes a value, which is read from the captures of the path and the query, and gives a value, which goes to `x-success`.
    ///
    /// What cannot be read is answered with an error that names the parameter, and the function does not run.
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

    /// Answers actions with a function that takes a value, which is read from the captures of the path and the query, and gives what is a response.
    ///
    /// What cannot be read is answered with an error that names the parameter, and the function does not run.
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

    /// Answers actions with a function that takes a value, which is read from the captures of the path and the query, and gives the response.
    ///
    /// What cannot be read is answered with an error that names the parameter, and the function does not run.
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
    /// Answers actions by publishing the request to all who wait for an event: ``Router/events(_:buffering:)``.
    ///
    /// The answer comes at once, with the number of those who were reached as `reached`.
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

/// The name of what a handler gives that is not made of named values, as it is for the output of programs.
let outputName = "result"
/// The name of what a handler takes that is not made of named values.
let inputName = "value"

/// A handler that is a function.
private struct HandlerFunction: AsyncHandler {
    let body: @concurrent @Sendable (Request) async throws -> Response

    func handle(_ request: Request) async throws -> Response {
        try await body(request)
    }
}

extension QueryDecoder {
    /// Reads the input of a request.
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

/// An input that a request does not have as it has to be.
struct UnreadableInput: CallbackErrorConvertible {
    /// Why it could not be read.
    let cause: any Error

    /// What the decoder or the input say of it; else the name of the parameter.
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
    /// Where the error is, and why.
    var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}
