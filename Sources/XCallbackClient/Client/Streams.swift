package import XCallbackURL
package import XCallbackWire

extension Client {
    /// Subscribes to topics.
    ///
    /// A lost connection is restored, however long that takes; then ``Publication/missed(_:)`` reports that events may
    /// have been lost in the meantime.
    ///
    /// - Parameter topics: The topics.
    /// - Returns: The events from now on, for one task and one iteration. Events that are not read yet wait in the daemon. The
    ///   subscription ends when the sequence is released or its task is cancelled.
    /// - Throws: ``ClientError``, also in the iteration.
    public func publications(
        of topics: [String]
    ) async throws -> some AsyncSequence<Publication, any Error> & Sendable {
        let parameters: JSONValue = ["topics": .array(topics.map { .string($0) })]
        return try await events(of: "Subscribe", parameters, gap: { .missed(nil) }) {
            reply throws(ReplyFault) -> Publication? in
            try reply.read("event")
        }
    }

    /// Receives requests, and also reports when a request ends without a response and when the daemon goes away.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - key: The key for ``retire(name:key:)``.
    ///   - conditions: The values that the requests must have.
    /// - Returns: The deliveries from now on.
    /// - Throws: ``ClientError``.
    package func deliveries(
        receivedAs name: String, key: String? = nil, where conditions: QueryItems = QueryItems()
    ) async throws -> Events<ReceiverEvent> {
        let deliveries = deliveryEvents(name, key: key, where: conditions)
        try await deliveries.begin()
        return deliveries
    }

    /// Returns the deliveries, without a connection.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - count: The maximum number of requests at a time.
    ///   - key: The key for ``retire(name:key:)``.
    ///   - conditions: The values that the requests must have.
    ///   - routes: The routes with their types, which the daemon compares with its configuration; nil for none.
    ///   - watcher: Receives the reason while the daemon does not answer, and nil when it answers.
    ///   - pause: Waits between attempts to connect.
    /// - Returns: The deliveries.
    func deliveryEvents(
        _ name: String, concurrently count: Int = 1, key: String? = nil, where conditions: QueryItems = QueryItems(),
        typed routes: JSONValue? = nil, watcher: @escaping @Sendable (ClientError?) -> Void = { _ in },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) -> Events<ReceiverEvent> {
        var parameters: [JSONValue.Member] = [.init("name", .string(name))]
        if count > 1 { parameters += [.init("prefetch", .number(JSONNumber(count))), .init("nested", .bool(true))] }
        if let key { parameters.append(.init("key", .string(key))) }
        if !conditions.isEmpty { parameters.append(.init("where", conditions.json)) }
        if let routes { parameters.append(.init("routes", routes)) }
        let call = StreamCall<ReceiverEvent>(
            method: "Receive", parameters: .object(parameters), gap: { .away }, reportsGapAtOnce: true,
            watcher: watcher, pause: pause
        ) { value throws(ReplyFault) in
            if let id: String = try value.read("ended") { return .ended(id: id) }
            if let differences: [String] = try value.read("differences") { return .differing(differences) }
            let request: ReceivedRequest? = try value.read("request")
            return request.map { .request($0) }
        }
        return Events(of: self, call)
    }

    /// Stops deliveries to the receivers with a key; their streams end after the responses to their current requests.
    package func retire(name: String, key: String) async throws {
        _ = try await call("Retire", ["name": .string(name), "key": .string(key)])
    }

    /// Calls a method with many replies, and again whenever the connection was lost.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - parameters: Its parameters.
    ///   - gap: Returns the element that reports that the connection was lost; nil if nothing reports it.
    ///   - readsFirst: Whether the first reply of a connection is an element, too.
    ///   - read: Returns the element of a reply; nil if it has none.
    /// - Returns: The elements.
    /// - Throws: ``ClientError`` if the daemon does not accept the call.
    package func events<Element>(
        of method: String, _ parameters: JSONValue, gap: (@Sendable () -> Element)? = nil, readsFirst: Bool = false,
        _ read: @escaping @Sendable (JSONValue) throws(ReplyFault) -> Element?
    ) async throws -> Events<Element> {
        let call = StreamCall(
            method: method, parameters: parameters, gap: gap, readsFirst: readsFirst, read: read)
        let events = Events(of: self, call)
        try await events.begin()
        return events
    }
}
