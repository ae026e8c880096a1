/// An error as a client sees it, in `errorCode` and `errorMessage`.
public struct CallbackError: Error, Hashable, Sendable {
    /// The kind of error; the numbers are those of HTTP where applicable.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number in the URL.
        public let rawValue: Int

        /// Creates a code from a number found in a URL.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The URL or one of its callbacks is malformed.
        public static let malformed = Self(rawValue: 400)
        /// A policy, or the rule for private routes, rejected the request.
        public static let refused = Self(rawValue: 403)
        /// No route answers the action.
        public static let unknownAction = Self(rawValue: 404)
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

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.init(code, message, items: QueryItems())
    }

    /// Creates the error of another application.
    package init(_ code: Code, _ message: String, items: QueryItems) {
        self.code = code
        self.message = message
        self.items = items
    }

    /// The error for clients if an error has no text of its own.
    public static let internalFailure = CallbackError(.internalFailure, "The handler failed.")
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
