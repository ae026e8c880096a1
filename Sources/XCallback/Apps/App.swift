public import XCallbackClient
public import XCallbackURL

/// Another application, whose actions can be run.
///
///     struct Bear: App {}
///     let output = try await Bear().run(OpenNote(), with: .init(title: "Milk", excludeTrashed: true))
///
/// All that it has to say has a default. It also makes a good namespace for its actions.
public protocol App: Sendable {
    /// The scheme of its URLs: the name of the type if it is not said, `my-app` for `MyApp`.
    var scheme: String { get }
    /// The host of its URLs: `x-callback-url` if it is not said.
    var host: String { get }
    /// How it writes values.
    var style: QueryStyle { get }
    /// How the program calls itself towards it (`x-source`); nil for not at all.
    var source: String? { get }
    /// How long it has to answer: two minutes if it is not said, as a person may have to decide.
    var timeout: Duration { get }
    /// The way on which URLs get to it: the daemon and the desktop if it is not said.
    var opener: any Opener { get }
}

extension App {
    /// The name of the type, in lower case with hyphens: `my-app` for `MyApp`.
    public var scheme: String { typeName(Self.self) }
    /// `x-callback-url`.
    public var host: String { "x-callback-url" }
    /// Names as they are, dates of ISO 8601, and base64url.
    public var style: QueryStyle { .standard }
    /// None.
    public var source: String? { nil }
    /// Two minutes.
    public var timeout: Duration { .seconds(120) }
    /// The daemon at its usual socket and, for what is not the daemon's own, the desktop.
    public var opener: any Opener { DesktopOpener(within: timeout) }
}

extension App {
    /// The URL that runs an action.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - input: What it takes.
    ///   - callbacks: Where the answer is to go, as items `x-success`, `x-error` and `x-cancel`. `run(_:with:timeout:)`
    ///     needs none.
    /// - Returns: The URL.
    /// - Throws: `EncodingError` for an input that cannot be written; ``ActionURLError`` if scheme, host and path make no
    ///   URL.
    public func url<A: Action>(
        for action: A, with input: A.Input, callbacks: QueryItems = QueryItems()
    ) throws -> ActionURL {
        try url(for: action, A.items(of: input, QueryEncoder(style: style)), callbacks)
    }

    /// The URL that runs an action which takes nothing.
    public func url<A: Action>(for action: A, callbacks: QueryItems = QueryItems()) throws -> ActionURL
    where A.Input == Never {
        try url(for: action, QueryItems(), callbacks)
    }

    /// The URL that runs an action which takes nothing.
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
