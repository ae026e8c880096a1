public import XCallbackClient
public import XCallbackRouter
public import XCallbackURL

// A property that has a default, and is declared with another type or as a static one, would be ignored: the default would
// win without a word. So the types of these properties are inferred from whatever is declared, and the compiler rejects a
// type for which only an unavailable member is left. The defaults of the static ones bind no type, so that one of them is
// 'Void' unless it is declared; a program that reads one all the same, as 'Bear.scheme', is mistaken, and traps. The types
// must be in the protocol of the properties: they are inferred for each on its own. Of the static ones, only the most
// frequent are compared: a type that makes others static makes one of these static, too.

/// The properties of an ``App`` with inferred types.
public protocol _AppProperties: Sendable {
    /// The type of ``App/source``.
    associatedtype _Source = String?
    /// The type of ``App/timeout``.
    associatedtype _Timeout = Duration
    /// The type of ``App/opener``.
    associatedtype _Opener = any Opener
    /// The type of what is static; `Void` if nothing is.
    associatedtype _Static = Void

    /// The name of this program for the application.
    var source: _Source { get }
    /// How long the application may take to answer.
    var timeout: _Timeout { get }
    /// Opens the URLs of the application.
    var opener: _Opener { get }
    /// ``App/source``.
    var _source: String? { get }
    /// ``App/timeout``.
    var _timeout: Duration { get }
    /// ``App/opener``.
    var _opener: any Opener { get }
    /// Exists if nothing is static.
    static var _isWithoutStatics: Void { get }
    /// Never static.
    static var scheme: _Static { get }
    /// Never static.
    static var source: _Static { get }
}

extension _AppProperties where _Source == String? {
    /// The name or nil.
    public var _source: String? { source }
}

extension _AppProperties where _Source == String {
    /// The name.
    public var _source: String? { source }
}

extension _AppProperties where _Timeout == Duration {
    /// The time.
    public var _timeout: Duration { timeout }
}

extension _AppProperties where _Opener == any Opener {
    /// The opener.
    public var _opener: any Opener { opener }
}

extension _AppProperties where _Opener: Opener {
    /// The opener.
    public var _opener: any Opener { opener }
}

extension _AppProperties where _Static == Void {
    /// Nothing is static.
    public static var _isWithoutStatics: Void { () }
}

extension _AppProperties {
    /// Rejects what is static.
    @available(*, unavailable, message: "Properties of an App must not be static: write 'let' without 'static'.")
    public static var _isWithoutStatics: Void { () }
    /// Rejects another type.
    @available(*, unavailable, message: "'source' must be a String or a String?.")
    public var _source: String? { nil }
    /// Rejects another type.
    @available(*, unavailable, message: "'timeout' must be a Duration, such as '.seconds(10)'.")
    public var _timeout: Duration { .zero }
    /// Rejects another type.
    @available(*, unavailable, message: "'opener' must be an Opener, such as a Router or a Client.")
    public var _opener: any Opener { Client.shared }
    // Nothing reads these values, and no input leads to them: they only exist for the compiler to compare their type.

    /// Nothing static.
    public static var scheme: _Static { preconditionFailure() }
    /// Nothing static.
    public static var source: _Static { preconditionFailure() }
}

/// The properties of an ``Action`` and a ``ReceivedAction`` with defaults.
public protocol _ActionProperties: Sendable {
    /// The type of what is static; `Void` if nothing is.
    associatedtype _StaticPart = Void

    /// Never static.
    static var path: _StaticPart { get }
    /// Never static.
    static var title: _StaticPart { get }
    /// Never static.
    static var policies: _StaticPart { get }
    /// Exists if nothing is static.
    static var _isWithoutStaticParts: Void { get }
}

extension _ActionProperties where _StaticPart == Void {
    /// Nothing is static.
    public static var _isWithoutStaticParts: Void { () }
}

extension _ActionProperties {
    /// Rejects what is static.
    @available(*, unavailable, message: "Properties of an action must not be static: write 'let' without 'static'.")
    public static var _isWithoutStaticParts: Void { () }
    /// Nothing static.
    public static var path: _StaticPart { preconditionFailure() }
    /// Nothing static.
    public static var title: _StaticPart { preconditionFailure() }
    /// Nothing static.
    public static var policies: _StaticPart { preconditionFailure() }
}

/// The properties of a ``ReceivedAction`` with inferred types.
public protocol _ReceivedActionProperties: Sendable {
    /// The type of ``ReceivedAction/policies``.
    associatedtype _Policies = [Policy]

    /// The policies that can reject a request.
    var policies: _Policies { get }
    /// ``ReceivedAction/policies``.
    var _policies: [Policy] { get }
}

extension _ReceivedActionProperties where _Policies == [Policy] {
    /// The policies.
    public var _policies: [Policy] { policies }
}

extension _ReceivedActionProperties {
    /// Rejects another type.
    @available(*, unavailable, message: "'policies' must be a list: '[Policy]'.")
    public var _policies: [Policy] { [] }
}

// Names that other libraries have, with those that mean the same here.

extension RouteList {
    /// Explains how an action is answered.
    @available(*, unavailable, message: "Answer an action itself: 'router.answer(AddNote()) { … }'.")
    public mutating func answer<A: Action>(_ action: A.Type, _ handler: (A.Input) async throws -> A.Output) {}

    /// Explains what URLs do not have.
    @available(*, unavailable, message: "URLs have no methods: write 'router.route(\"/notes\") { … }'.")
    public mutating func get<Handler>(_ pattern: String, _ handler: Handler) {}

    /// Explains how middleware sees responses.
    @available(
        *, unavailable, message: "Return '.proceed'; an object that conforms to AsyncMiddleware also sees responses."
    )
    public mutating func use(_ receive: (Request, (Request) async throws -> Response) async throws -> Response) {}
}

extension Request {
    /// Explains how values are read.
    @available(*, unavailable, message: "A route decodes the values that its function takes: '{ (note: Note) in … }'.")
    public func decode<Value>(_ type: Value.Type) throws -> Value { throw ActionCancelled() }

    /// ``parameters``.
    @available(*, unavailable, renamed: "parameters")
    public var query: QueryItems { parameters }

    /// ``parameters``.
    @available(*, unavailable, renamed: "parameters")
    public var params: QueryItems { parameters }
}

extension Response {
    /// ``error(_:)``.
    @available(*, unavailable, renamed: "error")
    public static func failure(_ error: CallbackError) -> Response { .error(error) }

    /// ``cancel``.
    @available(*, unavailable, renamed: "cancel")
    public static var cancelled: Response { .cancel }

    /// Explains how a redirect is written.
    @available(*, unavailable, message: "Write '.redirect(try Callback(text))'.")
    public static func redirect(_ text: String) -> Response { .cancel }
}
