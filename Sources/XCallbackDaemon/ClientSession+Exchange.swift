import XCallbackEventLoop
import XCallbackJSON
import XCallbackPipeline
import XCallbackURL
import XCallbackVarlink

// What clients do for each other. The parameters of a call are what the interface says.
extension ClientSession {
    /// How many topics a client may subscribe to in one call.
    private static let topicLimit = 256

    /// Lets the client receive what routes deliver to a name.
    func receive(_ parameters: JSONValue, _ calls: VarlinkDialect, on loop: isolated EventLoop) {
        let name = parameters["name"]?.text ?? ""
        if let error = service.clientNames.refusal(
            of: peer, toReceiveAs: name, mayAll: service.mayAll(peer), &service.answerer.state)
        {
            return calls.pending = .reply(.failure(error))
        }
        let first: JSONValue = ["request": .null]
        // It has one request at a time, so that nothing is ever lost.
        let stream = begin(calls, gap: { _ in first }, first: first, on: loop)
        stream.name = name
        service.deliveries.add(stream, as: name, on: loop)
    }

    /// Takes what the client responds to a request that it has received.
    func respond(_ parameters: JSONValue, _ calls: VarlinkDialect, on loop: isolated EventLoop) {
        do throws(VarlinkError) {
            let response = try Response(parameters)
            switch service.deliveries.respond(parameters["id"]?.text ?? "", response, from: peer, on: loop) {
            case nil: calls.pending = .reply(.success([:]))
            case .unknown?: throw VarlinkError("\(RouterInterface.name).UnknownRequest")
            case .alreadyAnswered?: throw VarlinkError("\(RouterInterface.name).AlreadyAnswered")
            case .tooLate?: throw VarlinkError("\(RouterInterface.name).TooLate")
            }
        } catch {
            calls.pending = .reply(.failure(error))
        }
    }

    /// Lets the client subscribe to topics.
    func subscribe(_ parameters: JSONValue, _ calls: VarlinkDialect, on loop: isolated EventLoop) {
        let topics = parameters["topics"]?.elements?.compactMap(\.text) ?? []
        guard (1...Self.topicLimit).contains(topics.count) else {
            return calls.pending = .reply(.failure(.invalidParameter("topics")))
        }
        for topic in topics {
            if let error = service.clientNames.refusal(
                of: peer, toSubscribeTo: topic, mayAll: service.mayAll(peer), &service.answerer.state)
            {
                return calls.pending = .reply(.failure(error))
            }
        }
        let stream = begin(calls, gap: Subscriptions.gap, first: ["event": .null], on: loop)
        service.subscriptions.add(stream, to: Set(topics))
    }

    /// Publishes what the client has.
    func publish(_ parameters: JSONValue, _ calls: VarlinkDialect, on loop: isolated EventLoop) {
        let topic = parameters["topic"]?.text ?? ""
        var request = Request(peer: peer, origin: .socket)
        request.parameters = QueryItems(parameters["items"])
        if request.parameters.hasReservedName {
            return calls.pending = .reply(.failure(.invalidParameter("items")))
        }
        if let error = service.clientNames.refusal(
            of: request, toPublishTo: topic, mayAll: service.mayAll(peer), &service.answerer.state)
        {
            return calls.pending = .reply(.failure(error))
        }
        let count = service.subscriptions.publish(request.parameters, to: topic)
        calls.pending = .reply(.success(["reached": .whole(count)]))
    }
}

extension Response {
    /// The response that the parameters of a call describe.
    ///
    /// - Throws: ``VarlinkError`` if it is none that a handler may give.
    fileprivate init(_ parameters: JSONValue) throws(VarlinkError) {
        switch parameters["outcome"]?.text {
        case "success":
            let items = QueryItems(parameters["items"])
            if items.hasReservedName { throw .invalidParameter("items") }
            self = .success(items)
        case "error":
            let code = parameters["code"]?.integer ?? CallbackError.Code.internalFailure.rawValue
            guard code > 0, code <= Int(Int32.max) else { throw .invalidParameter("code") }
            let message = parameters["message"]?.text ?? "The application reports an error."
            guard !message.utf8.contains(0) else { throw .invalidParameter("message") }
            self = .error(CallbackError(CallbackError.Code(rawValue: code), message))
        default: self = .cancel
        }
    }
}

extension QueryItems {
    /// The items that a parameter of a call describes.
    fileprivate init(_ value: JSONValue?) {
        self.init()
        for element in value?.elements ?? [] { append(element["name"]?.text ?? "", element["value"]?.text) }
    }
}
