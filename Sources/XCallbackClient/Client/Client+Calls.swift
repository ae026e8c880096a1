import XCallbackJSON
import XCallbackVarlink

extension Client {
    /// Calls another application, and waits for its answer.
    ///
    /// The daemon gives the URL that is to be opened: the one that is called, with return URLs in the place of its
    /// callbacks. Those that the URL has itself are honoured afterwards: ``Answer/open`` is what the program has to
    /// open for that. A URL that the daemon answers itself is answered at once, and nothing is opened.
    ///
    /// A daemon that is restarted meanwhile keeps the call, if it has a place for that, and this goes on with the next
    /// one.
    ///
    /// - Parameters:
    ///   - url: The URL of the application's action.
    ///   - limit: How long the application may take; the daemon's limit without it.
    ///   - readsForm: Whether `+` in the application's answer is a space, as programs write it that make queries as HTML
    ///     forms do.
    ///   - open: Opens a URL in the user's session; if it throws, the call is over. It runs off the caller's actor,
    ///     unless it belongs to an actor.
    /// - Returns: The answer; if there is none in time, an error of the daemon.
    /// - Throws: ``ClientError``, or what `open` throws.
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
            try await open(pending.target)
            do {
                return try Answer(reading: try await connection.nextReply().parameters)
            } catch let error as ClientError where error.isOfConnection {
                return try await resume(pending, of: url, after: error)
            }
        }
    }

    /// Goes on with a call after the daemon has gone away.
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
            try await pool.pause(for: backOff.next())
        }
        throw error
    }
}

extension Client {
    /// A call that waits for its application.
    fileprivate struct OutgoingCall {
        /// What the program must open.
        let target: String
        /// What resumes the call after a restart of the daemon; nil if it ends with the daemon.
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
