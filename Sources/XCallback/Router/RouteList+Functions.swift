public import XCallbackRouter
import XCallbackURL

// Functions can be synchronous or asynchronous, and can throw. An error becomes the answer: a ``CallbackError`` or
// ``CallbackErrorConvertible`` determines its text, ``ActionCancelled`` is a cancel, and any other error is reported
// only as a failure of the handler.
//
// All are explicitly `@concurrent`. This module uses NonisolatedNonsendingByDefault, its dependents usually do not, and
// the compiler crashes when it converts their static methods to function types without explicit isolation.

extension RouteList {
    /// Answers actions with a function that returns nothing.
    ///
    /// The function takes nothing, the ``Request``, a value that is decoded from the captures of the path and the query, or
    /// several of them. If a value cannot be decoded, the answer is an error that names the parameter, and the function
    /// does not run. A single value such as `Int` is that of the only capture, or of the item `value`.
    public mutating func route<each Input: Decodable & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (repeat each Input) async throws -> Void
    ) {
        let decoder = QueryDecoder(style: style)
        let types = RouteTypes(inputs: types(repeat (each Input).self), output: Void.self)
        let options = RouteOptions(isPublic, policies, file, line, types)
        add(pattern, options) { request in
            try await handler(repeat decoder.input((each Input).self, of: request))
            return .success(QueryItems())
        }
    }

    /// Answers actions with a function that returns a value, which goes to `x-success`.
    ///
    /// The function takes nothing, the ``Request``, a value that is decoded from the captures of the path and the query, or
    /// several of them. If a value cannot be decoded, the answer is an error that names the parameter, and the function
    /// does not run. A single value such as `Int` is that of the only capture, or of the item `value`.
    public mutating func route<each Input: Decodable & SendableMetatype, Output: Encodable & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (repeat each Input) async throws -> Output
    ) {
        let (decoder, encoder) = (QueryDecoder(style: style), QueryEncoder(style: style))
        let types = RouteTypes(inputs: types(repeat (each Input).self), output: Output.self)
        let options = RouteOptions(isPublic, policies, file, line, types)
        add(pattern, options) { request in
            let output = try await handler(repeat decoder.input((each Input).self, of: request))
            return .success(try encoder.encode(output, named: outputName))
        }
    }

    /// Answers actions with a function whose type says that it returns a response.
    ///
    /// The compiler would not prefer the function below to the one for values that no answer can carry.
    public mutating func route<each Input: Decodable & SendableMetatype, Outcome: _ResponseType>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (repeat each Input) async throws -> Outcome
    ) {
        let decoder = QueryDecoder(style: style)
        let types = RouteTypes(inputs: types(repeat (each Input).self), output: nil)
        let options = RouteOptions(isPublic, policies, file, line, types)
        add(pattern, options) { request in
            let outcome = try await handler(repeat decoder.input((each Input).self, of: request))
            return outcome as? Response ?? .error(.internalFailure)
        }
    }

    /// Answers actions with a function that takes the request and returns the response, whose types can be inferred.
    @_disfavoredOverload
    public mutating func route(
        _ pattern: String, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Request) async throws -> Response
    ) {
        add(pattern, RouteOptions(isPublic, policies, file, line), handler)
    }

    /// Answers actions with a function that takes the request, whose type can be inferred, and returns nothing.
    @_disfavoredOverload
    public mutating func route(
        _ pattern: String, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Request) async throws -> Void
    ) {
        route(pattern, isPublic: isPublic, policies: policies, file: file, line: line) { (request: Request) in
            try await handler(request)
        }
    }

    /// Answers actions with a function that takes the request, whose type can be inferred, and returns a value.
    @_disfavoredOverload
    public mutating func route<Output: Encodable & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (Request) async throws -> Output
    ) {
        route(pattern, isPublic: isPublic, policies: policies, file: file, line: line) { (request: Request) in
            try await handler(request)
        }
    }

    /// Answers actions with a function that returns the response; the type that it returns can be inferred.
    ///
    /// The function takes nothing, the ``Request``, a value that is decoded from the captures of the path and the query, or
    /// several of them. If a value cannot be decoded, the answer is an error that names the parameter, and the function
    /// does not run. A single value such as `Int` is that of the only capture, or of the item `value`.
    @_disfavoredOverload
    public mutating func route<each Input: Decodable & SendableMetatype>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (repeat each Input) async throws -> Response
    ) {
        let decoder = QueryDecoder(style: style)
        let types = RouteTypes(inputs: types(repeat (each Input).self), output: nil)
        let options = RouteOptions(isPublic, policies, file, line, types)
        add(pattern, options) { request in
            try await handler(repeat decoder.input((each Input).self, of: request))
        }
    }

    /// Rejects a function whose value no answer can carry; otherwise, a closure with one expression would discard the value.
    ///
    /// The actor makes each call an error. An unavailable function would not be considered instead.
    @available(
        *, deprecated,
        message: "A route gives nothing, a Response or an Encodable value; declare Encodable, or discard with '_ ='."
    )
    @_EncodableOutputRequired
    public mutating func route<each Input: Decodable & SendableMetatype, Output>(
        _ pattern: String, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (repeat each Input) async throws -> Output
    ) {}

    /// Explains how a route gets its policies.
    @available(*, unavailable, message: "A route has a list of policies: write 'policies: [policy]'.")
    public mutating func route<Handler>(_ pattern: String, policy: Policy, _ handler: Handler) {}

    /// Answers actions with any kind of handler, for example an object that represents a part of the program.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the actions.
    ///   - handler: Performs the actions.
    ///   - isPublic: Whether requests from the desktop, and so possibly from a web page, reach the route; nil for the
    ///     value of the enclosing group.
    ///   - policies: The policies that can reject a request.
    ///   - file: The file of the call, for error messages.
    ///   - line: The line of the call, for error messages.
    public mutating func route(
        _ pattern: String, to handler: any AsyncHandler, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line
    ) {
        add(pattern, RouteOptions(isPublic, policies, file, line), to: HandlerObject(object: handler))
    }

    /// Answers actions by publishing the request to all that wait for an event: ``Router/events(_:buffering:)``.
    ///
    /// The answer is that of ``Router/answer(event:_:)``, or a success without items.
    public mutating func route(
        _ pattern: String, event: String, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line
    ) {
        let hub = hub
        add(pattern, RouteOptions(isPublic, policies, file, line)) { request in
            try await hub.publish(request, to: event)
        }
    }

    /// Adds a route that a function answers.
    mutating func add(
        _ pattern: String, _ options: RouteOptions,
        _ body: @concurrent @escaping @Sendable (Request) async throws -> Response
    ) {
        add(pattern, options, to: HandlerFunction(body: body))
    }
}

/// The actor of functions that no route can have; it does nothing.
@globalActor
public actor _EncodableOutputRequired {
    /// The actor.
    public static let shared = _EncodableOutputRequired()
}

/// A ``Response``, and no other type.
public protocol _ResponseType: SendableMetatype {}

extension Response: _ResponseType {}

/// The item name of a handler's output that is a single value, the same as for the output of programs.
let outputName = "result"
/// The item name of a handler's input that is a single value.
let inputName = "value"

/// A handler that is a function.
private struct HandlerFunction: HostedHandler {
    let body: @concurrent @Sendable (Request) async throws -> Response

    func handle(_ request: Request, _ host: any StageHost) async throws -> Response {
        try await body(request)
    }
}

/// A handler that is an object of the application.
private struct HandlerObject: HostedHandler {
    let object: any AsyncHandler

    func handle(_ request: Request, _ host: any StageHost) async throws -> Response {
        try await object.handle(request)
    }
}

// MARK: - Inputs

extension Request: Decodable {
    /// Returns the request that a route answers, so that the function of the route can take it.
    ///
    /// - Throws: `DecodingError` for anything else: a request is not made of items.
    public init(from decoder: any Decoder) throws {
        guard let request = (decoder as? DecodingPlace)?.request else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "only the function of a route takes a request"))
        }
        self = request
    }
}

/// Returns types as a list.
private func types<each Input>(_ types: repeat (each Input).Type) -> [Any.Type] {
    var list: [Any.Type] = []
    for type in repeat each types { list.append(type) }
    return list
}

/// Whether the values of a type are a single text or a list, and so have no names for their parameters.
func isSingle(_ type: Any.Type) -> Bool {
    if type is any TextValue.Type { return true }
    if let wrapper = type as? any SingleWrapper.Type { return isSingle(wrapper.wrappedType) }
    guard let type = type as? any RawRepresentable.Type else { return false }
    return isSingle(rawType(of: type))
}

private func rawType<Value: RawRepresentable>(of type: Value.Type) -> Any.Type { Value.RawValue.self }

/// A list or an optional value.
protocol SingleWrapper {
    static var wrappedType: Any.Type { get }
    /// The value without a wrapped one.
    static var empty: Any { get }
    static var isList: Bool { get }
}

extension SingleWrapper { static var isList: Bool { true } }

extension Optional: SingleWrapper {
    static var wrappedType: Any.Type { Wrapped.self }
    static var empty: Any { Self.none as Any }
    static var isList: Bool { false }
}

extension Array: SingleWrapper {
    static var wrappedType: Any.Type { Element.self }
    static var empty: Any { [] as Self }
}

extension Set: SingleWrapper {
    static var wrappedType: Any.Type { Element.self }
    static var empty: Any { [] as Self }
}

extension QueryDecoder {
    /// Decodes an input of a request.
    ///
    /// - Throws: ``UnreadableInput``.
    func input<Input: Decodable>(_ type: Input.Type = Input.self, of request: Request) throws -> Input {
        let captures = request.captureNames
        do {
            let name = captures.count == 1 ? captures[0] : inputName
            return try decode(Input.self, from: request.parameters, named: name, of: request)
        } catch {
            throw UnreadableInput(cause: error)
        }
    }
}

/// The input of a request is invalid.
struct UnreadableInput: CallbackErrorConvertible {
    /// The reason.
    let cause: any Error

    /// The error from the input or the decoder, which names the parameter.
    var callbackError: CallbackError {
        if let visible = cause as? any CallbackErrorConvertible { return visible.callbackError }
        if let visible = (cause as? DecodingError)?.context?.underlyingError as? CallbackError { return visible }
        return CallbackError(.badParameter, "The parameters are not what this action expects.")
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

// The route comes from the path of the action, and the types of the function from its input and output. An action without
// input has a function that takes nothing.

extension RouteList {
    /// Answers an action.
    ///
    ///     router.answer(OpenNote()) { input in try await store.open(input.title) }
    ///
    /// The function can also take the ``Request``: `{ input, request in … }`.
    ///
    /// - Parameters:
    ///   - action: The action; its path is that of the route.
    ///   - isPublic: Whether requests from the desktop, and so possibly from a web page, reach the route; nil for the
    ///     value of the enclosing group.
    ///   - policies: The policies that can reject a request.
    ///   - file: The file of the call, for error messages.
    ///   - line: The line of the call, for error messages.
    ///   - handler: Performs the action.
    public mutating func answer<A: Action>(
        _ action: A, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (A.Input) async throws -> A.Output
    ) where A.Input: Decodable & SendableMetatype, A.Output: Encodable & SendableMetatype {
        route(action.pattern, isPublic: isPublic, policies: policies, file: file, line: line, handler)
        describe(as: action)
    }

    /// Answers an action without input, like `answer(_:isPublic:policies:file:line:_:)`.
    public mutating func answer<A: Action>(
        _ action: A, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable () async throws -> A.Output
    ) where A.Output: Encodable & SendableMetatype {
        route(action.pattern, isPublic: isPublic, policies: policies, file: file, line: line, handler)
        describe(as: action)
    }

    /// Answers an action without output, like `answer(_:isPublic:policies:file:line:_:)`.
    public mutating func answer<A: Action>(
        _ action: A, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (A.Input) async throws -> Void
    ) where A.Input: Decodable & SendableMetatype, A.Output == Void {
        route(action.pattern, isPublic: isPublic, policies: policies, file: file, line: line, handler)
        describe(as: action)
    }

    /// Answers an action without input and output, like `answer(_:isPublic:policies:file:line:_:)`.
    public mutating func answer<A: Action>(
        _ action: A, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable () async throws -> Void
    ) where A.Output == Void {
        route(action.pattern, isPublic: isPublic, policies: policies, file: file, line: line, handler)
        describe(as: action)
    }

    /// Answers an action with a function that also takes the request, like `answer(_:isPublic:policies:file:line:_:)`.
    public mutating func answer<A: Action>(
        _ action: A, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (A.Input, Request) async throws -> A.Output
    ) where A.Input: Decodable & SendableMetatype, A.Output: Encodable & SendableMetatype {
        route(action.pattern, isPublic: isPublic, policies: policies, file: file, line: line, handler)
        describe(as: action)
    }

    /// Answers an action without output, like `answer(_:isPublic:policies:file:line:_:)`.
    public mutating func answer<A: Action>(
        _ action: A, isPublic: Bool? = nil, policies: [Policy] = [],
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (A.Input, Request) async throws -> Void
    ) where A.Input: Decodable & SendableMetatype, A.Output == Void {
        route(action.pattern, isPublic: isPublic, policies: policies, file: file, line: line, handler)
        describe(as: action)
    }

    /// Answers an action that the action itself performs.
    ///
    /// - Parameters:
    ///   - action: The action, with its policies.
    ///   - file: The file of the call, for error messages.
    ///   - line: The line of the call, for error messages.
    public mutating func answer<A: ReceivedAction>(_ action: A, file: StaticString = #fileID, line: Int = #line) {
        let (decoder, encoder) = (QueryDecoder(style: style), QueryEncoder(style: style))
        let types = RouteTypes(inputs: A.Input.self == Void.self ? [] : [A.Input.self], output: A.Output.self)
        add(action.pattern, RouteOptions(action.isPublic, action._policies, file, line, types)) { request in
            .success(try A.items(of: await action.receive(input: A.input(of: request, decoder)), encoder))
        }
        describe(as: action)
    }
}

extension Action {
    /// The pattern of its path, in which characters that mean something in patterns are text.
    fileprivate var pattern: String {
        "/" + path.map { ":*{}()[]+?!\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
}
