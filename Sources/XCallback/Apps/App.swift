public import XCallbackClient
public import XCallbackURL

/// Another application, whose actions can be run.
///
///     struct Bear: App {}
///     let output = try await Bear().run(OpenNote(), with: .init(title: "Milk", excludeTrashed: true))
///
/// All its properties have defaults. The type is also a good namespace for its actions.
public protocol App: Sendable {
    /// The scheme of its URLs; by default the name of the type, `my-app` for `MyApp`.
    var scheme: String { get }
    /// The host of its URLs; `x-callback-url` by default.
    var host: String { get }
    /// The format of its values.
    var style: QueryStyle { get }
    /// The name of this program for the application (`x-source`); nil for none.
    var source: String? { get }
    /// How long it may take to answer; two minutes by default, because a person may have to decide.
    var timeout: Duration { get }
    /// Opens its URLs; the daemon and the desktop by default.
    var opener: any Opener { get }
}

extension App {
    /// The name of the type, in lowercase with hyphens: `my-app` for `MyApp`.
    public var scheme: String { typeName(Self.self) }
    /// `x-callback-url`.
    public var host: String { "x-callback-url" }
    /// Unchanged names, ISO 8601 dates, and base64url.
    public var style: QueryStyle { .standard }
    /// No name.
    public var source: String? { nil }
    /// Two minutes.
    public var timeout: Duration { .seconds(120) }
    /// The daemon at its default socket and, for URLs that are not the daemon's own, the desktop.
    public var opener: any Opener { DesktopOpener(within: timeout) }
}

extension App {
    /// Returns the URL that runs an action.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - input: The input.
    ///   - callbacks: The callbacks for the answer, as items `x-success`, `x-error` and `x-cancel`; not needed for
    ///     `run(_:with:timeout:)`.
    /// - Returns: The URL.
    /// - Throws: `EncodingError` for an input that cannot be encoded; ``ActionURLError`` if scheme, host and path do
    ///   not form a valid URL.
    public func url<A: Action>(
        for action: A, with input: A.Input, callbacks: QueryItems = QueryItems()
    ) throws -> ActionURL {
        try url(for: action, A.items(of: input, QueryEncoder(style: style)), callbacks)
    }

    /// Returns the URL that runs an action without input.
    public func url<A: Action>(for action: A, callbacks: QueryItems = QueryItems()) throws -> ActionURL
    where A.Input == Never {
        try url(for: action, QueryItems(), callbacks)
    }

    /// Returns the URL that runs an action without input.
    public func url<A: Action>(for action: A, callbacks: QueryItems = QueryItems()) throws -> ActionURL
    where A.Input == Void {
        try url(for: action, QueryItems(), callbacks)
    }

    func url(for action: some Action, _ input: QueryItems, _ callbacks: QueryItems) throws -> ActionURL {
        var items = input
        if let source { items.append("x-source", source) }
        for callback in callbacks { items.append(callback.name, callback.value) }
        let segments = action.path.split(separator: "/").map(String.init)
        return try ActionURL(scheme: scheme, host: host, segments: segments, items: items)
    }
}
