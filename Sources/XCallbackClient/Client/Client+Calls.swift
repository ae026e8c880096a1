import XCallbackWire

extension Client {
    /// Calls another application, and waits for its answer.
    ///
    /// The daemon returns the URL to open: the given URL with return URLs in place of its callbacks. The URL's own callbacks
    /// come afterwards: ``Answer/open`` is the URL that the program must open for them. If the daemon itself answers the URL,
    /// the answer comes at once, and nothing is opened.
    ///
    /// A daemon that stops answers its calls with an error; one that is killed ends them with ``ClientError``.
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
            try await calls.withTurn {
                let (connection, first) = try await pool.withNewConnection { connection in
                    connection.send("Call", .object(parameters), mode: .more)
                    return (connection, try await connection.nextReply())
                }
                guard first.continues else { return try Answer(reading: first.parameters) }
                let target: String = try first.parameters.read("open")
                guard scheme(of: target) == scheme(of: url) else {
                    throw ClientError(.incompatible, "the daemon sent a URL of another application; nothing was opened")
                }
                try await open(target)
                do {
                    return try Answer(reading: try await connection.nextReply().parameters)
                } catch let error as ClientError where error.isOfConnection {
                    throw ClientError(
                        .disconnected,
                        "the daemon ended before the application answered: its answer is lost\ncall again")
                }
            }
        }
    }
}

/// The part of a URL before its first colon, in lower case.
private func scheme(of url: String) -> String { url.prefix { $0 != ":" }.lowercased() }
