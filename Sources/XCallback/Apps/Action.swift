public import XCallbackURL

/// An action of an application: its name, its input and its output.
///
///     struct OpenNote: Action {
///         struct Input: Codable { var title: String, excludeTrashed: Bool }
///         struct Output: Codable { var note: String, modificationDate: Date }
///     }
///
/// An action without input or output leaves the type out.
public protocol Action<Input, Output>: _ActionProperties {
    /// The input: an `Encodable` type, or `Void`, the default.
    associatedtype Input = Void
    /// The output: a `Decodable` type, or `Void`, the default.
    associatedtype Output = Void

    /// The path in the URL, below the host; by default `open-note` for a type `OpenNote`. `notes/open` has two segments.
    var path: String { get }

    /// The title in menus, one line; by default `Open note` for a type `OpenNote`.
    var title: String { get }

    /// What the action does, for people and assistants; empty by default.
    var description: String { get }

    /// Encodes the input.
    ///
    /// There are implementations for inputs that are `Encodable` or `Void`; other inputs need their own.
    static func items(of input: Input, _ encoder: QueryEncoder) throws -> QueryItems

    /// Decodes the output.
    ///
    /// There are implementations for outputs that are `Decodable` or `Void`; other outputs need their own.
    static func output(in items: QueryItems, _ decoder: QueryDecoder) throws -> Output
}

extension Action {
    /// The name of the type, in lowercase with hyphens: `open-note` for `OpenNote`, `grab-url` for `GrabURL`.
    public var path: String { typeName(Self.self) }

    /// The words of the name of the type: `Open note` for `OpenNote`.
    public var title: String {
        let words = typeName(Self.self).split(separator: "-").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// Empty.
    public var description: String { "" }
}

extension Action where Input: Encodable {
    /// Encodes the input; a single value without a name of its own is an item `value`.
    public static func items(of input: Input, _ encoder: QueryEncoder) throws -> QueryItems {
        try encoder.encode(input)
    }
}

extension Action where Input == Void {
    /// Returns no items.
    public static func items(of input: Input, _ encoder: QueryEncoder) throws -> QueryItems { QueryItems() }
}

extension Action where Output: Decodable {
    /// Decodes the output; a single value without a name of its own is an item `result`.
    public static func output(in items: QueryItems, _ decoder: QueryDecoder) throws -> Output {
        try decoder.decode(Output.self, from: items, named: outputName)
    }
}

extension Action where Output == Void {
    /// Returns nothing.
    public static func output(in items: QueryItems, _ decoder: QueryDecoder) throws -> Output { () }
}

extension Action where Output == Never {
    /// Rejects an action whose output cannot exist: `Never` is `Decodable`.
    @available(*, unavailable, message: "An action without output has the output 'Void', which is the default.")
    public static func output(in items: QueryItems, _ decoder: QueryDecoder) throws -> Output {
        throw ActionCancelled()
    }
}

/// Returns the name of a type as an identifier in URLs, without its generic arguments.
func typeName<Value>(_ type: Value.Type) -> String {
    String(String(describing: type).prefix { $0 != "<" }).words(joinedBy: "-")
}

/// The outcome of an action.
public enum ActionResponse<Output> {
    /// The action was done, with this output.
    case success(Output)
    /// The action was not done; the application, the daemon or the library gives the reason.
    case error(CallbackError)
    /// The user declined the action.
    case cancel
}

extension ActionResponse: Sendable where Output: Sendable {}
extension ActionResponse: Equatable where Output: Equatable {}

extension ActionResponse {
    /// Creates a response from running an action.
    ///
    ///     let response = await ActionResponse { try await Bear().run(OpenNote(), with: input) }
    ///
    /// - Parameter run: Runs the action. ``ActionCancelled`` becomes `cancel`; other errors become a ``CallbackError`` with
    ///   the side that failed. It runs off the caller's actor, unless it belongs to an actor.
    public init(_ run: @concurrent () async throws -> Output) async {
        do {
            self = .success(try await run())
        } catch is ActionCancelled {
            self = .cancel
        } catch {
            self = .error(CallbackError(of: error))
        }
    }

    /// Returns the output.
    ///
    /// - Throws: ``CallbackError``, or ``ActionCancelled``.
    public func get() throws -> Output {
        switch self {
        case .success(let output): output
        case .error(let error): throw error
        case .cancel: throw ActionCancelled()
        }
    }
}

/// The user declined an action.
///
/// Running an action throws this error, and a handler may throw it: the request then ends in `x-cancel`.
public struct ActionCancelled: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}

extension ActionCancelled: CustomStringConvertible {
    /// A description of the error.
    public var description: String { "the action was cancelled" }
}
