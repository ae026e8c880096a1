/// An error as a client sees it, in `errorCode` and `errorMessage`.
public struct CallbackError: Error, Hashable, Sendable {
    /// The kind of an error; the numbers are those of HTTP where it has one for the case.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number that travels in the URL.
        public let rawValue: Int

        /// Creates a code from a number found in a URL.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The URL or one of its callbacks is malformed.
        public static let malformed = Self(rawValue: 400)
        /// A policy, or the rule for private routes, refused the request.
        public static let refused = Self(rawValue: 403)
        /// No route answers the action.
        public static let unknownAction = Self(rawValue: 404)
        /// The line, or the number of its parameters, is over the limit.
        public static let tooLarge = Self(rawValue: 413)
        /// A parameter is missing or does not hold what the route declares.
        public static let badParameter = Self(rawValue: 422)
        /// The caller asked more often than a policy or a quota allows.
        public static let tooMany = Self(rawValue: 429)
        /// The handler failed; the log has the cause.
        public static let internalFailure = Self(rawValue: 500)
        /// The answer of another application, which was called, cannot be read.
        public static let unreadableAnswer = Self(rawValue: 502)
        /// Nobody is there to handle the request, or the daemon is shutting down.
        public static let unavailable = Self(rawValue: 503)
        /// The handler did not answer within its time.
        public static let timedOut = Self(rawValue: 504)
        /// Redirects or callbacks led round in a circle, or too far.
        public static let loop = Self(rawValue: 508)
    }

    /// What kind of error it is.
    public let code: Code
    /// One sentence for a person; it names the parameter or the policy and holds no value of the request.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What a client sees of an error that says nothing about itself.
    public static let internalFailure = CallbackError(.internalFailure, "The handler failed.")
}

/// An error that says what a client may see of it.
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
