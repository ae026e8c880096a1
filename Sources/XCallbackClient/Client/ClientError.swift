import XCallbackLinux
package import XCallbackWire

/// The reason why the daemon did not do what a ``Client`` requested.
public struct ClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Reason: Hashable, Sendable {
        /// There is no daemon, or it cannot be reached.
        case unreachable
        /// The socket belongs to a user who is neither the caller nor root nor the service user.
        case untrusted(userID: UInt32)
        /// The daemon went away before it answered, or is stopping.
        case disconnected
        /// The daemon sent an invalid message or does not have the method: its version is different.
        case incompatible
        /// This user does not have permission.
        case denied
        /// The call is invalid according to the daemon.
        case invalidCall
        /// This user has too many waiting calls; the same call may succeed later.
        case limitReached
        /// The call exceeds the daemon's limit in bytes; the daemon has not read it.
        case tooLong(limit: Int)
        /// The new configuration has faults: nothing has changed.
        case notLoaded([Client.Fault])
        /// The daemon does not serve all files of its configuration because some have faults; the same call may succeed once
        /// they are fixed.
        case unavailable
        /// The configuration has no route that delivers to this name.
        case unknownName
        /// The configuration has no such topic.
        case unknownTopic
        /// The configuration has no such route.
        case unknownRoute
        /// There is no such request, or it belongs to another user.
        case unknownRequest
        /// The request already has a response.
        case alreadyAnswered
        /// The request ended without this response: it timed out, its caller left, or the connection on which it was
        /// received was lost.
        case tooLate
        /// The receiver is retired: it gets no more requests.
        case retired
        /// The daemon is the system's, which has no user session with applications to call.
        case noSession
    }

    /// The kind of error.
    public let reason: Reason
    /// The problem and, on lines of its own, the remedy.
    public let description: String

    /// The sockets at which no daemon was found; empty for other errors.
    package let missing: [String]

    /// Creates an error; if sockets are missing, with advice on how to start the daemon.
    package init(_ reason: Reason, _ problem: String, missing sockets: [String] = []) {
        self.reason = reason
        // Clients that retry often must not query the service manager each time.
        description =
            sockets.isEmpty ? problem : "\(problem)\n\(SocketLocation.startAdvice(for: sockets).quickText)"
        missing = sockets
    }
}

extension ClientError {
    /// Creates the error for a reply that does not match the interface.
    package init(_ fault: ReplyFault) {
        self.init(.incompatible, "the daemon sent \(fault): it has a different version")
    }

    /// Whether the same call may succeed on another connection.
    var isOfConnection: Bool {
        switch reason {
        case .unreachable, .disconnected: true
        default: false
        }
    }

    /// Creates the error for a connection that has ended.
    static func disconnected(from path: String, _ cause: String) -> ClientError {
        ClientError(
            .disconnected,
            "the daemon at '\(path)' did not answer: \(cause)\n"
                + "it may have stopped, or you have reached the limit of connections: see 'xcallback status'")
    }

    /// Creates the error for an incompatible server.
    static func incompatible(_ path: String, _ what: String) -> ClientError {
        ClientError(.incompatible, "the server at '\(path)' \(what): it is not xcallbackd, or has a different version")
    }

    /// Translates the error reply to a call.
    init(_ error: VarlinkError, from path: String) {
        let parameters = JSONValue.object(error.parameters)
        let own = "\(Client.interface)."
        switch error.name {
        case own + "NotLoaded":
            let faults: [Client.Fault] = (try? parameters.read("faults")) ?? []
            self.init(.notLoaded(faults), "the configuration has faults and was not loaded: nothing has changed")
        case own + "Unavailable":
            let message = parameters["message"]?.text ?? "It has no configuration."
            self.init(.unavailable, "the daemon at '\(path)' does not serve it: \(message)")
        case own + "LimitReached" where parameters["name"]?.text == "message":
            let limit = parameters["limit"]?.integer ?? 0
            self.init(
                .tooLong(limit: limit),
                "the daemon at '\(path)' rejects messages of more than \(limit) bytes: nothing was done\n"
                    + "raise the limit in its configuration: 'limits: { message: … }'")
        case own + "LimitReached" where parameters["name"]?.text == "line":
            let message = parameters["message"]?.text ?? "It is too long."
            self.init(.invalidCall, "the daemon at '\(path)' rejects the URL: \(message)")
        case own + "LimitReached":
            let message = parameters["message"]?.text ?? "You have reached a limit."
            self.init(.limitReached, "the daemon at '\(path)' refuses this for now: \(message)\ntry again later")
        case own + "NoThread":
            self.init(
                .limitReached, "the daemon at '\(path)' cannot create a thread\ntry again later")
        case own + "UnknownName":
            let name = parameters["name"]?.text ?? ""
            self.init(.unknownName, "no route delivers to '\(name)': see the daemon's configuration")
        case own + "UnknownTopic":
            let topic = parameters["topic"]?.text ?? ""
            self.init(.unknownTopic, "no topic is called '\(topic)': see the daemon's configuration")
        case own + "UnknownRoute":
            let route = parameters["route"]?.text ?? ""
            self.init(.unknownRoute, "the daemon has no route '\(route)': see 'xcallback routes'")
        case own + "UnknownRequest": self.init(.unknownRequest, "no such request, or it belongs to another user")
        case own + "NotWaiting":
            self.init(.unknownRequest, "no request with this id waits for its handler: see 'xcallback status'")
        case own + "AlreadyAnswered": self.init(.alreadyAnswered, "the request already has a response")
        case own + "TooLate":
            self.init(
                .tooLate,
                "the request has already ended: it expired, its caller disconnected, or the connection was lost")
        case own + "Stopping": self.init(.disconnected, "the daemon at '\(path)' is stopping")
        case own + "Retired": self.init(.retired, "the receiver is retired: it gets no more requests")
        case own + "NoSession":
            self.init(
                .noSession,
                "the daemon at '\(path)' is the system's, which has no desktop session to call applications in")
        // Any service can return the remaining errors.
        case VarlinkError.permissionDenied.name:
            self.init(
                .denied,
                "the daemon at '\(path)' does not allow this: only its user and root can do it, and not over its socket for "
                    + "assistants")
        case VarlinkError.invalidParameter("").name:
            self.init(.invalidCall, "the daemon does not accept the parameter '\(parameters["parameter"]?.text ?? "")'")
        default: self = .incompatible(path, "answered \(error)")
        }
    }
}

extension Client {
    /// A fault in a configuration.
    public struct Fault: Hashable, Sendable, ReplyValue, CustomStringConvertible {
        /// The file.
        public let file: String
        /// The line, starting at 1; nil for the file as a whole.
        public let line: Int?
        /// The column, starting at 1.
        public let column: Int?
        /// The fault, and the expected value.
        public let message: String

        /// Reads a fault.
        package init(reading value: JSONValue) throws(ReplyFault) {
            file = try value.read("file")
            line = try value.read("line")
            column = try value.read("column")
            message = try value.read("message")
        }

        /// The place and the message.
        public var description: String {
            let place = [file] + [line, column].compactMap { $0.map(String.init) }
            return "\(place.joined(separator: ":")): \(message)"
        }
    }
}
