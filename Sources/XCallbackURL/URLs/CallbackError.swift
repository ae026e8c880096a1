/// An error as a client sees it, in `errorCode` and `errorMessage`.
public struct CallbackError: Error, Sendable {
    /// The side that failed.
    public enum Author: Hashable, Sendable {
        /// The application, or the handler of a route; also if its answer cannot be decoded.
        case application
        /// The daemon: it found no route, rejected the request, or got no response in time.
        case daemon
        /// The way to the application: nothing was sent, or no answer came back.
        case connection
        /// The program itself: it has cancelled the task.
        case cancelled
    }

    /// The kind of error; the numbers are those of HTTP where applicable.
    public struct Code: RawRepresentable, ExpressibleByIntegerLiteral, Hashable, Sendable {
        /// The number in the URL.
        public let rawValue: Int

        /// Creates a code from a number found in a URL.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Creates a code from a number in the source: `CallbackError(404, "There is no such note.")`.
        public init(integerLiteral value: Int) {
            self.init(rawValue: value)
        }

        /// The URL or one of its callbacks is malformed.
        public static let malformed = Self(rawValue: 400)
        /// A policy, the rule for private routes, or the application rejected the request.
        public static let forbidden = Self(rawValue: 403)
        /// The same code, as the daemon gives it.
        package static let refused = forbidden
        /// No route answers the action, or the application does not have what the request names.
        public static let notFound = Self(rawValue: 404)
        /// The same code, as the daemon gives it.
        package static let unknownAction = notFound
        /// The line, or the number of its parameters, exceeds the limit.
        public static let tooLarge = Self(rawValue: 413)
        /// A parameter is missing, or its value does not match the declaration of the route.
        public static let badParameter = Self(rawValue: 422)
        /// The caller exceeded the rate of a policy or a quota.
        public static let tooMany = Self(rawValue: 429)
        /// The handler failed; the log has the cause.
        public static let internalFailure = Self(rawValue: 500)
        /// The answer of another application that was called is invalid.
        public static let unreadableAnswer = Self(rawValue: 502)
        /// No handler is available for the request, or the daemon is shutting down.
        public static let unavailable = Self(rawValue: 503)
        /// The handler did not answer in time.
        public static let timedOut = Self(rawValue: 504)
        /// Redirects or callbacks form a loop or exceed the limit.
        public static let loop = Self(rawValue: 508)
    }

    /// The kind of error.
    public let code: Code
    /// One sentence for a person; it names the parameter or the policy and contains no values of the request.
    public let message: String
    /// All items of the answer if another application sent the error; otherwise empty.
    public let items: QueryItems
    /// The side that failed; it does not matter for equality.
    public let author: Author
    /// Whether running an action of an application has thrown it.
    package var isOfCall = false

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.init(code, message, items: QueryItems())
    }

    /// Creates the error of another application.
    package init(_ code: Code, _ message: String, items: QueryItems = QueryItems(), by author: Author = .application) {
        self.code = code
        self.message = message
        self.items = items
        self.author = author
    }

    /// The error for clients if an error has no text of its own.
    public static let internalFailure = CallbackError(.internalFailure, "The handler failed.")
}

extension CallbackError: Hashable {
    /// Whether clients see the same error.
    public static func == (first: Self, second: Self) -> Bool {
        first.code == second.code && first.message == second.message && first.items == second.items
    }

    /// Hashes what clients see.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
        hasher.combine(items)
    }
}

/// An error with a text that clients may see.
public protocol CallbackErrorConvertible: Error {
    /// The client's view of the error.
    var callbackError: CallbackError { get }
}

extension CallbackError: CallbackErrorConvertible {
    /// The error itself.
    public var callbackError: CallbackError { self }
}

extension CallbackError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code.rawValue) \(message)" }
}
