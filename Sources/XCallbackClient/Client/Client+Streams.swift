package import XCallbackJSON

extension Client {
    /// Begins to watch the requests and answers of the daemon.
    ///
    /// Other users than the daemon's and root see their own. When the connection is lost, it is made again, as long as it
    /// takes; an event of the kind ``Event/Kind/missed`` without a count then tells that.
    ///
    /// - Parameter showsValues: Whether the values of the caller's own requests are shown; else they are hidden.
    /// - Returns: The events from now on.
    /// - Throws: ``ClientError``.
    public func events(showingValues showsValues: Bool = false) async throws -> Events<Event> {
        try await events(showingValues: showsValues, where: [])
    }

    /// Begins to watch some of the requests and answers, as ``events(showingValues:)`` does all of them.
    ///
    /// - Parameters:
    ///   - showsValues: Whether the values of the caller's own requests are shown; else they are hidden.
    ///   - conditions: Parameters of `Monitor` that leave out others.
    /// - Returns: The events from now on.
    /// - Throws: ``ClientError``.
    package func events(
        showingValues showsValues: Bool, where conditions: [JSONValue.Member]
    ) async throws -> Events<Event> {
        let parameters = JSONValue.object([.init("values", .bool(showsValues))] + conditions)
        return try await Events(feed: Feed(of: self, "Monitor", parameters, reading: "event", .told { .away }))
    }

    /// Begins to receive what routes with `deliver: NAME` are asked for.
    ///
    /// The next request comes when this one was responded to. More than one at a time are received by more than one
    /// call of this. When the connection is lost, or a reload drops the name, it is made again, as long as it takes.
    ///
    /// - Parameter name: The name.
    /// - Returns: The requests from now on.
    /// - Throws: ``ClientError``.
    public func requests(receivedAs name: String) async throws -> Events<ReceivedRequest> {
        let parameters: JSONValue = ["name": .string(name)]
        return try await Events(feed: Feed(of: self, "Receive", parameters, reading: "request", .silent))
    }

    /// Begins to receive, as ``requests(receivedAs:)`` does, and is told when a request ends that was not responded to, and
    /// when the daemon goes away.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - key: What ``retire(name:key:)`` knows it by.
    ///   - watcher: Is told why the daemon does not answer meanwhile, and nil when it does again.
    /// - Returns: What is delivered from now on.
    /// - Throws: ``ClientError``.
    package func deliveries(
        receivedAs name: String, key: String? = nil, watcher: @escaping @Sendable (ClientError?) -> Void = { _ in }
    ) async throws -> Events<Delivery> {
        var parameters: [JSONValue.Member] = [.init("name", .string(name))]
        if let key { parameters.append(.init("key", .string(key))) }
        return try await Events(
            feed: Feed(of: self, "Receive", .object(parameters), .toldAtOnce { .away }, watcher: watcher) {
                value throws(ReplyFault) in
                if let id: String = try value.read("ended") { return .ended(id: id) }
                let request: ReceivedRequest? = try value.read("request")
                return request.map { .request($0) }
            })
    }

    /// Lets what receives with a key have no more requests; its stream ends once it has responded to those that it has.
    func retire(name: String, key: String) async throws {
        _ = try await call("Retire", ["name": .string(name), "key": .string(key)])
    }

    /// Begins to subscribe to topics.
    ///
    /// When the connection is lost, it is made again, as long as it takes; ``Publication/missed(_:)`` then tells that
    /// events may have been lost meanwhile.
    ///
    /// - Parameter topics: The topics.
    /// - Returns: What is published from now on.
    /// - Throws: ``ClientError``.
    public func publications(of topics: [String]) async throws -> Events<Publication> {
        let parameters: JSONValue = ["topics": .array(topics.map { .string($0) })]
        return try await Events(
            feed: Feed(of: self, "Subscribe", parameters, reading: "event", .told { .missed(nil) }))
    }
}
