import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackRouter
import XCallbackURL
import XCallbackWire

// The errors of the interface.
extension VarlinkError {
    /// Creates an error of the interface.
    init(ofRouter name: String, _ parameters: [JSONValue.Member] = []) {
        self.init("\(RouterInterface.name).\(name)", parameters)
    }

    /// The daemon is stopping.
    static let stopping = Self(ofRouter: "Stopping")
    /// The system has no thread for the reply.
    static let noThread = Self(ofRouter: "NoThread")
    /// The system's daemon belongs to no session.
    static let noSession = Self(ofRouter: "NoSession")
    /// The receiver has been retired by its user.
    static let retired = Self(ofRouter: "Retired")
    /// No receiver of this user had the request.
    static let unknownRequest = Self(ofRouter: "UnknownRequest")
    /// The request already has a response.
    static let alreadyAnswered = Self(ofRouter: "AlreadyAnswered")
    /// The request ended without a response.
    static let tooLate = Self(ofRouter: "TooLate")

    /// The configuration has no such route.
    static func unknownRoute(_ route: String) -> Self {
        Self(ofRouter: "UnknownRoute", [.init("route", .string(route))])
    }

    /// The configuration has no route that delivers to a name.
    static func unknownName(_ name: String) -> Self { Self(ofRouter: "UnknownName", [.init("name", .string(name))]) }

    /// The configuration has no route that publishes to a topic.
    static func unknownTopic(_ topic: String) -> Self {
        Self(ofRouter: "UnknownTopic", [.init("topic", .string(topic))])
    }

    /// The daemon does not serve all files of its configuration, because some have faults.
    static func unavailable(because faults: ConfigurationError) -> Self {
        Self(ofRouter: "Unavailable", [.init("message", .string(CallbackError(faults).message))])
    }

    /// A message exceeds the size limit, in bytes.
    init(messageOver limit: Int) {
        self.init("message", limit + 1, of: limit, "The message has more than \(limit) bytes (limits: message).")
    }

    /// The given URL exceeds the size limit, in bytes.
    init(urlOver limit: Int) {
        self.init("line", limit + 1, of: limit, "The URL is longer than \(limit) bytes (limits: line).")
    }

    /// An account has reached a limit.
    init(_ excess: Excess) {
        self.init(excess.resource.setting, excess.used, of: excess.limit, excess.description)
    }

    private init(_ setting: String, _ used: Int, of limit: Int, _ message: String) {
        self.init(
            ofRouter: "LimitReached",
            [
                .init("name", .string(setting)), .init("used", .whole(used)), .init("limit", .whole(limit)),
                .init("message", .string(message)),
            ])
    }
}
