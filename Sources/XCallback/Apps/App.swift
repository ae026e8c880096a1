public import XCallbackClient
public import XCallbackURL
import XCallbackWire

/// Another application, whose actions can be run.
///
///     struct Bear: App {}
///     let output = try await Bear().run(OpenNote(), with: .init(title: "Milk", excludeTrashed: true))
///
/// All its properties have defaults. They are properties of the instance: the compiler rejects `static let scheme`, and a
/// property with another type than here. The type is also a good namespace for its actions.
public protocol App: _AppProperties {
    /// The scheme of its URLs; by default the name of the type, `my-app` for `MyApp`.
    var scheme: String { get }
    /// The host of its URLs; `x-callback-url` by default.
    var host: String { get }
    /// The format of its values.
    var style: QueryStyle { get }
    /// The name of this program for the application (`x-source`): a `String`, or a `String?` that is nil for none, the
    /// default.
    var source: _Source { get }
    /// How long it may take to answer, as a `Duration`; two minutes by default, because a person may have to decide.
    var timeout: _Timeout { get }
    /// Opens its URLs: any ``Opener``; the daemon and the desktop by default.
    var opener: _Opener { get }
}

extension App {
    /// The name of the type, in lowercase with hyphens: `my-app` for `MyApp`.
    public var scheme: String { typeName(Self.self) }
    /// `x-callback-url`.
    public var host: String { "x-callback-url" }
    /// Unchanged names, ISO 8601 dates, and base64url.
    public var style: QueryStyle { .standard }
}

extension App where _Source == String? {
    /// No name.
    public var source: String? { nil }
}

extension App where _Timeout == Duration {
    /// Two minutes.
    public var timeout: Duration { .seconds(120) }
}

extension App where _Opener == any Opener {
    /// The daemon at its default socket and, for URLs that are not the daemon's own, the desktop.
    public var opener: any Opener { DesktopOpener(within: _timeout) }
}

extension App {
    /// Returns the URL that runs an action.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - input: The input.
    ///   - callbacks: The callbacks for the answer, as items `x-success`, `x-error` and `x-cancel`; not needed for
    ///     `run(_:with:timeout:through:)`.
    /// - Returns: The URL.
    /// - Throws: `EncodingError` for an input that cannot be encoded; ``ActionURLError`` if scheme, host and path do
    ///   not form a valid URL.
    public func url<A: Action>(
        for action: A, with input: A.Input, callbacks: QueryItems = QueryItems()
    ) throws -> ActionURL {
        var items = try A.items(of: input, QueryEncoder(style: style))
        if let source = _source { items.append("x-source", source) }
        for callback in callbacks { items.append(callback.name, callback.value) }
        let segments = action.path.split(separator: "/").map(String.init)
        return try ActionURL(scheme: scheme, host: host, segments: segments, items: items)
    }

    /// Returns the URL that runs an action without input.
    public func url<A: Action>(for action: A, callbacks: QueryItems = QueryItems()) throws -> ActionURL
    where A.Input == Void {
        try url(for: action, with: (), callbacks: callbacks)
    }

    /// Runs an action.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - input: The input.
    ///   - timeout: How long to wait for the answer; nil for the timeout of the application.
    ///   - opener: The way to the application, such as a ``Router`` in a test; nil for that of the application.
    /// - Returns: The output.
    /// - Throws: ``CallbackError`` if the answer is an error or does not arrive in time (504), with the side that failed;
    ///   ``ActionCancelled`` if the user declined; `EncodingError` for an input that cannot be encoded; `DecodingError` for
    ///   an output that cannot be decoded; `CancellationError` when the task is cancelled; and the errors of the
    ///   ``Opener``, such as ``ClientError``.
    public func run<A: Action>(
        _ action: A, with input: A.Input, timeout: Duration? = nil, through opener: (any Opener)? = nil
    ) async throws -> A.Output {
        let url = try url(for: action, with: input)
        var opener = opener ?? _opener
        if let timeout, let desktop = opener as? DesktopOpener { opener = desktop.within(timeout) }
        do {
            switch try await withTimeout(timeout ?? _timeout, { [opener] in try await opener.open(url) }) {
            case .success(let items):
                // The items of a response are not percent-encoded: a comma in them is data.
                return try A.output(in: items, QueryDecoder(style: style, splitsAtCommas: false))
            case .error(let error): throw error
            case .cancel: throw ActionCancelled()
            case .redirect:
                throw CallbackError(
                    .unavailable, "Another application was to answer, and none was opened.", by: .connection)
            }
        } catch var error as CallbackError {
            error.isOfCall = true
            throw error
        }
    }

    /// Runs an action without input, like `run(_:with:timeout:through:)`.
    public func run<A: Action>(
        _ action: A, timeout: Duration? = nil, through opener: (any Opener)? = nil
    ) async throws -> A.Output where A.Input == Void {
        try await run(action, with: (), timeout: timeout, through: opener)
    }

    /// Runs an action and calls a function once with the response.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - input: The input.
    ///   - timeout: How long to wait for the answer; nil for the timeout of the application.
    ///   - opener: The way to the application, such as a ``Router`` in a test; nil for that of the application.
    ///   - callback: The function.
    /// - Returns: The task that runs it, which can be cancelled.
    @discardableResult
    public func run<A: Action>(
        action: A, with input: A.Input, timeout: Duration? = nil, through opener: (any Opener)? = nil,
        then callback: @escaping @Sendable (ActionResponse<A.Output>) -> Void
    ) -> Task<Void, Never> where A.Input: Sendable, A.Output: Sendable {
        Task {
            callback(await ActionResponse { try await run(action, with: input, timeout: timeout, through: opener) })
        }
    }

    /// Runs an action without input, like `run(action:with:timeout:through:then:)`.
    @discardableResult
    public func run<A: Action>(
        action: A, timeout: Duration? = nil, through opener: (any Opener)? = nil,
        then callback: @escaping @Sendable (ActionResponse<A.Output>) -> Void
    ) -> Task<Void, Never> where A.Input == Void, A.Output: Sendable {
        run(action: action, with: (), timeout: timeout, through: opener, then: callback)
    }
}

extension ActionURL {
    /// Creates the URL of an action below a host.
    ///
    /// - Throws: ``ActionURLError`` if the parts do not form a valid URL.
    init(scheme: String, host: String, segments: [String], items: QueryItems) throws(ActionURLError) {
        let url = try ActionURL(scheme: scheme, segments: segments, items: items)
        let standardHost = "x-callback-url"
        guard host != standardHost else {
            self = url
            return
        }
        var encodedHost = ByteBuffer()
        encodedHost.append(percentEncoding: host.utf8.span)
        let rest = url.received.utf8.dropFirst("\(scheme)://\(standardHost)".utf8.count)
        let text = Array("\(scheme)://".utf8) + encodedHost.contents + rest
        self.init()
        try parse(text.span, maximumItems: .max)
    }
}
