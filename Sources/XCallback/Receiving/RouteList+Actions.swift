import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

// The route comes from the path of the action, and the types of the function from its input and output. An action without
// input has a function that takes nothing. `Never` is Encodable, so that the functions for other outputs come second.

extension RouteList {
    /// Answers an action.
    ///
    ///     router.answer(OpenNote()) { input in try await store.open(input.title) }
    ///
    /// A function that needs the ``Request`` as well is for `route(_:isPublic:policies:about:file:line:_:)` with the path of
    /// the action.
    ///
    /// - Parameters:
    ///   - action: The action; its path is that of the route.
    ///   - isPublic: Whether requests from the desktop, and so possibly from a web page, reach the route; nil for the
    ///     value of the enclosing group.
    ///   - policies: The policies that can reject a request.
    ///   - about: The description of the action: ``Router/routes``.
    ///   - file: The file of the call, for error messages.
    ///   - line: The line of the call, for error messages.
    ///   - handler: Performs the action.
    @_disfavoredOverload
    public mutating func answer<A: Action>(
        _ action: A, isPublic: Bool? = nil, policies: [Policy] = [], about: ActionDescription? = nil,
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (A.Input) async throws -> A.Output
    ) where A.Input: Decodable & SendableMetatype, A.Output: Encodable & SendableMetatype {
        route(
            action.pattern, isPublic: isPublic, policies: policies, about: about, file: file, line: line, handler)
    }

    /// Answers an action without input, like `answer(_:isPublic:policies:about:file:line:_:)`.
    @_disfavoredOverload
    public mutating func answer<A: Action>(
        _ action: A, isPublic: Bool? = nil, policies: [Policy] = [], about: ActionDescription? = nil,
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable () async throws -> A.Output
    ) where A.Output: Encodable & SendableMetatype {
        route(
            action.pattern, isPublic: isPublic, policies: policies, about: about, file: file, line: line, handler)
    }

    /// Answers an action without output, like `answer(_:isPublic:policies:about:file:line:_:)`.
    public mutating func answer<A: Action>(
        _ action: A, isPublic: Bool? = nil, policies: [Policy] = [], about: ActionDescription? = nil,
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (A.Input) async throws -> Void
    ) where A.Input: Decodable & SendableMetatype, A.Output == Never {
        route(
            action.pattern, isPublic: isPublic, policies: policies, about: about, file: file, line: line, handler)
    }

    /// Answers an action without input and output, like `answer(_:isPublic:policies:about:file:line:_:)`.
    public mutating func answer<A: Action>(
        _ action: A, isPublic: Bool? = nil, policies: [Policy] = [], about: ActionDescription? = nil,
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable () async throws -> Void
    ) where A.Output == Never {
        route(
            action.pattern, isPublic: isPublic, policies: policies, about: about, file: file, line: line, handler)
    }

    /// Answers an action whose output is `Void`, like `answer(_:isPublic:policies:about:file:line:_:)`.
    public mutating func answer<A: Action>(
        _ action: A, isPublic: Bool? = nil, policies: [Policy] = [], about: ActionDescription? = nil,
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable (A.Input) async throws -> Void
    ) where A.Input: Decodable & SendableMetatype, A.Output == Void {
        route(
            action.pattern, isPublic: isPublic, policies: policies, about: about, file: file, line: line, handler)
    }

    /// Answers an action without input whose output is `Void`, like `answer(_:isPublic:policies:about:file:line:_:)`.
    public mutating func answer<A: Action>(
        _ action: A, isPublic: Bool? = nil, policies: [Policy] = [], about: ActionDescription? = nil,
        file: StaticString = #fileID, line: Int = #line,
        _ handler: @concurrent @escaping @Sendable () async throws -> Void
    ) where A.Output == Void {
        route(
            action.pattern, isPublic: isPublic, policies: policies, about: about, file: file, line: line, handler)
    }

    /// Answers an action that the action itself performs.
    ///
    /// - Parameters:
    ///   - action: The action, with its policies and its description.
    ///   - file: The file of the call, for error messages.
    ///   - line: The line of the call, for error messages.
    public mutating func answer<A: ReceivedAction>(_ action: A, file: StaticString = #fileID, line: Int = #line) {
        let (decoder, encoder) = (QueryDecoder(style: style), QueryEncoder(style: style))
        let options = RouteOptions(action.isPublic, action.policies, action.about, file, line)
        add(action.pattern, options) { request in
            .success(try A.items(of: await action.receive(input: A.input(of: request, decoder)), encoder))
        }
    }
}

extension Action {
    /// The pattern of its path, in which characters that mean something in patterns are text.
    fileprivate var pattern: String {
        "/" + path.map { ":*{}()[]+?!\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
}
