import XCallbackJSON
import XCallbackVarlink

extension Client {
    /// Calls another application, and waits for its answer.
    ///
    /// The daemon returns the URL to open: the given URL with return URLs in place of its callbacks. The URL's own callbacks
    /// come afterwards: ``Answer/open`` is the URL that the program must open for them. If the daemon itself answers the URL,
    /// the answer comes at once, and nothing is opened.
    ///
    /// If the daemon is restarted in the meantime, it keeps the call if it has a folder for calls, and this function continues
    /// with the next daemon.
    ///
    /// - Parameters:
    ///   - url: The URL of the application's action.
    ///   - limit: The time limit for the application; nil for the daemon's default.
    ///   - readsForm: Whether `+` in the application's answer is a space, as in programs that encode queries like HTML forms.
    ///   - open: Opens a URL in the user's session; an error ends the call. It runs off the caller's actor, unless it
    ///     belongs to an actor.
    /// - Returns: The answer; without one in time, an error of the daemon.
    /// - Throws: ``ClientError``, or the error of `open`.
    public func call(
        _ url: String, within limit: Duration? = nil, readingForm readsForm: Bool = false,
        opening open: @concurrent (String) async throws -> Void
    ) async throws -> Answer {
        var parameters: [JSONValue.Member] = [.init("url", .string(url))]
        if let limit { parameters.append(.init("timeout", .number(JSONNumber(seconds: limit)))) }
        if readsForm { parameters.append(.init("form", .bool(true))) }
        return try await Self.read {
            let (connection, first) = try await pool.withNewConnection { connection in
                connection.send("Call", .object(parameters), mode: .more)
                return (connection, try await connection.nextReply())
            }
            guard first.continues else { return try Answer(reading: first.parameters) }
            let pending = try OutgoingCall(reading: first.parameters)
            guard scheme(of: pending.target) == scheme(of: url) else {
                throw ClientError(.incompatible, "the daemon sent a URL of another application; nothing was opened")
            }
            try await open(pending.target)
            do {
                return try Answer(reading: try await connection.nextReply().parameters)
            } catch let error as ClientError where error.isOfConnection {
                return try await resume(pending, of: url, after: error)
            }
        }
    }

    /// Continues a call after the daemon has gone away.
    ///
    /// - Throws: ``ClientError`` or `CancellationError`.
    private func resume(_ call: OutgoingCall, of url: String, after error: ClientError) async throws -> Answer {
        guard let secret = call.secret else { throw error }
        let parameters: JSONValue = ["secret": .string(secret), "url": .string(url)]
        var (error, backOff) = (error, BackOff())
        while ContinuousClock.now < call.deadline {
            do {
                let reply = try await pool.withNewConnection { connection in
                    try await connection.call("Resume", parameters)
                }
                return try Answer(reading: reply)
            } catch let other as ClientError where other.isOfConnection {
                error = other
            }
            try await Task.sleep(for: backOff.next())
        }
        throw error
    }
}

extension Client {
    /// A call that waits for its application.
    fileprivate struct OutgoingCall {
        /// The URL that the program must open.
        let target: String
        /// The secret that resumes the call after a restart of the daemon; nil if the call ends with the daemon.
        let secret: String?
        /// When the call times out.
        let deadline: ContinuousClock.Instant
    }
}

extension Client.OutgoingCall: ReplyValue {
    init(reading value: JSONValue) throws(ReplyFault) {
        target = try value.read("open")
        secret = try value.read("secret")
        let limit: Duration? = try value.read("limit")
        deadline = .now + (limit ?? .zero)
    }
}

/// The part of a URL before its first colon, in lower case.
private func scheme(of url: String) -> String { url.prefix { $0 != ":" }.lowercased() }
