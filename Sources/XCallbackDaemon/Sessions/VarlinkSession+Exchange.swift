import XCallbackBytes
import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL
import XCallbackVarlink

// Calls between clients. Their parameters already match the interface.
extension VarlinkSession {
    /// The maximum number of concurrent requests of a client.
    private static let prefetchLimit = 64
    /// The maximum length of a receiver's key in bytes.
    private static let keyLimit = 64
    /// The maximum number of topics in one call.
    private static let topicLimit = 256

    /// Lets the client receive the requests that routes deliver to a name.
    func receive(_ parameters: JSONValue, on loop: isolated EventLoop) {
        let name = parameters["name"]?.text ?? ""
        // An integer overflow counts as out of range, too.
        let prefetch = parameters.hasValue("prefetch") ? parameters["prefetch"]?.integer ?? 0 : 1
        guard (1...Self.prefetchLimit).contains(prefetch) else { return refuse(.invalidParameter("prefetch")) }
        let key = parameters["key"]?.text
        if let key, key.utf8.count > Self.keyLimit { return refuse(.invalidParameter("key")) }
        check(on: loop) { [peer] in
            $0.conditions(for: peer, toReceiveAs: name)
        } then: { [self] in
            // The stream has few requests at a time and keeps all of them, so that none is lost.
            guard let stream = beginStream(gap: nil, first: ["request": .null], on: loop) else { return }
            stream.name = name
            service.streams.receivers.add(stream, as: name, prefetch: prefetch, key: key, on: loop)
        }
    }

    /// Stops the delivery of requests to receivers of the client's user.
    func retire(_ parameters: JSONValue, on loop: isolated EventLoop) {
        let (name, key) = (parameters["name"]?.text ?? "", parameters["key"]?.text ?? "")
        let count = service.streams.receivers.retire(name: name, key: key, of: peer.userID)
        replySource = .reply(.success(["retired": .whole(count)]))
    }

    /// Takes the client's response to a request that it has received.
    func respond(_ call: VarlinkCall, in input: Span<UInt8>, on loop: isolated EventLoop) {
        do throws(VarlinkError) {
            let response = try Response(call, in: input, service.layout)
            let id =
                switch call.string(of: "id", in: input, service.layout) {
                case .inPlace(let range)?: Token(input.extracting(range))
                case .decoded(let bytes)?: Token(bytes.span)
                case nil: Token?.none
                }
            switch service.streams.receivers.respond(id, response, from: peer, on: loop) {
            case nil: replySource = .reply(.success([:]))
            case .unknown?: throw VarlinkError("\(RouterInterface.name).UnknownRequest")
            case .alreadyAnswered?: throw VarlinkError("\(RouterInterface.name).AlreadyAnswered")
            case .tooLate?: throw VarlinkError("\(RouterInterface.name).TooLate")
            }
        } catch {
            refuse(error)
        }
    }

    /// Lets the client subscribe to topics.
    func subscribe(_ parameters: JSONValue, on loop: isolated EventLoop) {
        let topics = parameters["topics"]?.elements?.compactMap(\.text) ?? []
        guard (1...Self.topicLimit).contains(topics.count) else { return refuse(.invalidParameter("topics")) }
        let names = Set(topics)
        check(on: loop) { [peer] in
            $0.conditions(for: peer, toSubscribeTo: Array(names))
        } then: { [self] in
            guard let stream = beginStream(gap: Subscriptions.gap, first: ["event": .null], on: loop) else { return }
            service.streams.subscriptions.add(stream, to: names)
        }
    }

    /// Publishes the parameters of the client.
    func publish(_ call: VarlinkCall, in input: Span<UInt8>, on loop: isolated EventLoop) {
        let topicNumber = call.number(of: "topic", in: input, service.layout)
        let topic = topicNumber.map { service.layout.text($0, in: input.extracting(call.frame)) } ?? ""
        var request = Request(peer: peer, origin: .socket)
        request.parameters = QueryItems(call, in: input, service.layout)
        if !request.parameters.isAllowed { return refuse(.invalidParameter("items")) }
        check(on: loop) { [request] in
            $0.conditions(for: request, toPublishTo: topic)
        } then: { [self, items = request.parameters] in
            do throws(Excess) {
                let count = try service.streams.subscriptions.publish(items, to: topic, for: account, on: loop)
                replySource = .reply(.success(["reached": .whole(count)]))
            } catch {
                refuse(VarlinkError(error))
            }
        }
    }

    /// Performs a call if the client satisfies the conditions.
    private func check(
        on loop: isolated EventLoop, _ conditions: @escaping (ClientNames) -> Conditions,
        then body: @escaping () -> Void
    ) {
        replySource = .job
        service.check(peer, on: loop, conditions) { [self] error in
            // The client may have disconnected, or the time limit for stopping may have expired.
            guard case .job = replySource else { return }
            if let error { refuse(error) } else { body() }
            loop.wake(id)
        }
        if service.isOutOfTime { stopJob(on: loop) }
    }
}

extension Response {
    /// Reads the response in the parameters of a call.
    ///
    /// - Throws: ``VarlinkError`` if a handler must not return it.
    fileprivate init(_ call: VarlinkCall, in input: Span<UInt8>, _ layout: JSONLayout) throws(VarlinkError) {
        let message = input.extracting(call.frame)
        guard let outcome = call.number(of: "outcome", in: input, layout) else { throw .invalidParameter("outcome") }
        if layout.isText(outcome, "success", in: message) {
            let items = QueryItems(call, in: input, layout)
            if !items.isAllowed { throw .invalidParameter("items") }
            self = .success(items)
        } else if layout.isText(outcome, "error", in: message) {
            self = .error(try CallbackError(call.parameters(in: input, layout)))
        } else {
            self = .cancel
        }
    }
}

extension CallbackError {
    /// Reads the error in the parameters of a call.
    fileprivate init(_ parameters: JSONValue) throws(VarlinkError) {
        let code =
            parameters.hasValue("code")
            ? parameters["code"]?.integer ?? 0 : CallbackError.Code.internalFailure.rawValue
        guard code > 0, code <= Int(Int32.max) else { throw .invalidParameter("code") }
        let message = parameters["message"]?.text ?? "The application reports an error."
        guard !message.utf8.contains(0) else { throw .invalidParameter("message") }
        self.init(CallbackError.Code(rawValue: code), message)
    }
}

extension JSONValue {
    /// Whether an object has a member that is not null.
    func hasValue(_ name: String) -> Bool { (self[name] ?? .null) != .null }
}

extension QueryItems {
    /// Whether a client may send the items: no name belongs to the protocol, and none contains a NUL, which no URL can.
    fileprivate var isAllowed: Bool {
        !hasReservedName && storage.bytes.span.extracting(0..<storage.count).withUnsafeBytes { !$0.contains(0) }
    }

    /// Reads the parameter `items` of a call.
    fileprivate init(_ call: VarlinkCall, in input: Span<UInt8>, _ layout: JSONLayout) {
        self.init()
        guard let list = call.number(of: "items", in: input, layout), layout[list].kind == .array else { return }
        let message = input.extracting(call.frame)
        var item = list + 1
        while item < layout[list].next {
            append(item, of: layout, in: message)
            item = layout[item].next
        }
    }

    /// Appends an item from the JSON of a message.
    private mutating func append(_ item: Int, of layout: JSONLayout, in message: Span<UInt8>) {
        guard let name = layout.value(named: "name", of: item, in: message) else { return }
        var value = layout.value(named: "value", of: item, in: message)
        if let number = value, layout[number].kind != .string { value = nil }
        if layout[name].isPlain, value.map({ layout[$0].isPlain }) ?? true {
            append(name: layout[name].range, value: value.map { layout[$0].range }, of: message)
        } else {
            append(layout.text(name, in: message), value.map { layout.text($0, in: message) })
        }
    }
}
