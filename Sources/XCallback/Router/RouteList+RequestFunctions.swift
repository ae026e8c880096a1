public import XCallbackPipeline
import XCallbackURL

// See the comment on the other functions.

extension RouteList {
    /// Answers actions with a function that takes the complete request and returns nothing.
    public mutating func route(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Request) async throws -> Void
    ) {
        add(pattern, isPublic, policies, about, file, line) { request in
            try await handler(request)
            return .success(QueryItems())
        }
    }

    /// Answers actions with a function that takes the complete request and returns a value, which goes to `x-success`.
    public mutating func route<Output: Encodable & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Request) async throws -> Output
    ) {
        let encoder = QueryEncoder(style: style)
        add(pattern, isPublic, policies, about, file, line) { request in
            .success(try encoder.encode(await handler(request), named: outputName))
        }
    }

    /// Answers actions with a function that takes the complete request and returns a type convertible to a response.
    public mutating func route<Outcome: ResponseConvertible & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Request) async throws -> Outcome
    ) {
        add(pattern, isPublic, policies, about, file, line) { request in try await handler(request).response }
    }

    /// Answers actions with a function that takes the complete request and returns the response.
    @_disfavoredOverload
    public mutating func route(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Request) async throws -> Response
    ) {
        add(pattern, isPublic, policies, about, file, line, handler)
    }

    /// Answers actions with a function that takes the complete request and a value, and returns nothing.
    ///
    /// If the value cannot be decoded from the request, the answer is an error that names the parameter, and the
    /// function does
    /// not run.
    public mutating func route<Input: Decodable & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Request, Input) async throws -> Void
    ) {
        let decoder = QueryDecoder(style: style)
        add(pattern, isPublic, policies, about, file, line, taking: Input.self) { request in
            try await handler(request, decoder.input(of: request))
            return .success(QueryItems())
        }
    }

    /// Answers actions with a function that takes the complete request and a value, and returns a value, which goes to
    /// `x-success`.
    ///
    /// If the input cannot be decoded from the request, the answer is an error that names the parameter, and the
    /// function does
    /// not run.
    public mutating func route<Input: Decodable & SendableMetatype, Output: Encodable & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Request, Input) async throws -> Output
    ) {
        let (decoder, encoder) = (QueryDecoder(style: style), QueryEncoder(style: style))
        add(pattern, isPublic, policies, about, file, line, taking: Input.self) { request in
            .success(try encoder.encode(await handler(request, decoder.input(of: request)), named: outputName))
        }
    }

    /// Answers actions with a function that takes the complete request and a value, and returns a type convertible to a
    /// response.
    ///
    /// If the value cannot be decoded from the request, the answer is an error that names the parameter, and the
    /// function does
    /// not run.
    public mutating func route<Input: Decodable & SendableMetatype, Outcome: ResponseConvertible & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Request, Input) async throws -> Outcome
    ) {
        let decoder = QueryDecoder(style: style)
        add(pattern, isPublic, policies, about, file, line, taking: Input.self) { request in
            try await handler(request, decoder.input(of: request)).response
        }
    }

    /// Answers actions with a function that takes the complete request and a value, and returns the response.
    ///
    /// If the value cannot be decoded from the request, the answer is an error that names the parameter, and the
    /// function does
    /// not run.
    @_disfavoredOverload
    public mutating func route<Input: Decodable & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Check] = [], about: About? = nil,
        file: StaticString = #fileID,
        line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Request, Input) async throws -> Response
    ) {
        let decoder = QueryDecoder(style: style)
        add(pattern, isPublic, policies, about, file, line, taking: Input.self) { request in
            try await handler(request, decoder.input(of: request))
        }
    }
}
