import XCallbackJSON
import XCallbackVarlink

extension Client {
    /// Calls another application, and waits for its answer.
    ///
    /// The daemon gives the URL that is to be opened: the one that is called, with return URLs in the place of its
    /// callbacks. Those that the URL has itself are honoured afterwards: ``Answer/handover`` is what the program has to
    /// open for that. A URL that the daemon answers itself is answered at once, and nothing is opened.
    ///
    /// - Parameters:
    ///   - url: The URL of the application's action.
    ///   - limit: How long the application may take; the daemon's limit without it.
    ///   - open: Opens a URL in the user's session; if it throws, the call is over.
    /// - Returns: The answer; if there is none in time, an error of the daemon.
    /// - Throws: ``ClientError``, or what `open` throws.
    public func call(
        _ url: String, within limit: Duration? = nil, opening open: (String) async throws -> Void
    ) async throws -> Answer {
        var parameters: [JSONValue.Member] = [.init("url", .string(url))]
        if let limit { parameters.append(.init("timeout", .number(JSONNumber(seconds: limit)))) }
        let connection = try await pool.connect()
        connection.send("Call", .object(parameters), mode: .more)
        var reply = try await connection.nextReply()
        return try await Self.read {
            if reply.continues {
                try await open(try reply.parameters.read("open"))
                reply = try await connection.nextReply()
            }
            return try Answer(reading: reply.parameters)
        }
    }
}
