package import XCallbackWire

extension Client {
    /// Watches the requests and answers of the daemon.
    ///
    /// Users other than the daemon's and root see only their own. A lost connection is restored, however long that takes;
    /// then an event of the kind ``Event/Kind/missed`` without a count follows.
    ///
    /// - Parameter showsValues: Whether the values of the caller's own requests are shown; otherwise they are hidden.
    /// - Returns: The events from now on.
    /// - Throws: ``ClientError``.
    public func events(showingValues showsValues: Bool = false) async throws -> Events<Event> {
        try await events(showingValues: showsValues, where: [])
    }

    /// Watches some of the requests and answers, otherwise like ``events(showingValues:)``.
    ///
    /// - Parameters:
    ///   - showsValues: Whether the values of the caller's own requests are shown; otherwise they are hidden.
    ///   - conditions: Parameters of `Monitor` that exclude the others.
    /// - Returns: The events from now on.
    /// - Throws: ``ClientError``.
    package func events(
        showingValues showsValues: Bool, where conditions: [JSONValue.Member]
    ) async throws -> Events<Event> {
        let parameters = JSONValue.object([.init("values", .bool(showsValues))] + conditions)
        return try await Events(feed: Feed(of: self, "Monitor", parameters, reading: "event", .told { .away }))
    }

    /// Receives the requests for routes with `deliver: NAME`.
    ///
    /// The next request arrives after the response to the current one. To receive several at a time, call this function
    /// several times. If the connection is lost, or a reload removes the name, it is restored, however long that takes.
    ///
    /// - Parameter name: The name.
    /// - Returns: The requests from now on.
    /// - Throws: ``ClientError``.
    public func requests(receivedAs name: String) async throws -> Events<ReceivedRequest> {
        let parameters: JSONValue = ["name": .string(name)]
        return try await Events(feed: Feed(of: self, "Receive", parameters, reading: "request", .silent))
    }

    /// Receives like ``requests(receivedAs:)``, and also reports when a request ends without a response and when the
    /// daemon goes away.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - key: The key for ``retire(name:key:)``.
    ///   - conditions: The values that the requests must have.
    ///   - watcher: Receives the reason while the daemon does not answer, and nil when it answers again.
    /// - Returns: The deliveries from now on.
    /// - Throws: ``ClientError``.
    package func deliveries(
        receivedAs name: String, key: String? = nil, where conditions: QueryItems = QueryItems(),
        watcher: @escaping @Sendable (ClientError?) -> Void = { _ in }
    ) async throws -> Events<Delivery> {
        var parameters: [JSONValue.Member] = [.init("name", .string(name))]
        if let key { parameters.append(.init("key", .string(key))) }
        if !conditions.isEmpty { parameters.append(.init("where", conditions.wire)) }
        return try await Events(
            feed: Feed(of: self, "Receive", .object(parameters), .toldAtOnce { .away }, watcher: watcher) {
                value throws(ReplyFault) in
                if let id: String = try value.read("ended") { return .ended(id: id) }
                let request: ReceivedRequest? = try value.read("request")
                return request.map { .request($0) }
            })
    }

    /// Stops deliveries to the receivers with a key; their streams end after the responses to their current requests.
    package func retire(name: String, key: String) async throws {
        _ = try await call("Retire", ["name": .string(name), "key": .string(key)])
    }

    /// Subscribes to topics.
    ///
    /// A lost connection is restored, however long that takes; then ``Publication/missed(_:)`` reports that events may
    /// have been
    /// lost in the meantime.
    ///
    /// - Parameter topics: The topics.
    /// - Returns: The events from now on.
    /// - Throws: ``ClientError``.
    public func publications(of topics: [String]) async throws -> Events<Publication> {
        let parameters: JSONValue = ["topics": .array(topics.map { .string($0) })]
        return try await Events(
            feed: Feed(of: self, "Subscribe", parameters, reading: "event", .told { .missed(nil) }))
    }
}
