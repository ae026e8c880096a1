package import XCallbackBytes
import XCallbackRouting
package import XCallbackURL

/// One request on its way through a pipeline: where it is, and what it has gathered.
///
/// The walk is synchronous until it reaches an async stage. It is a value: a request that waits takes its walk along, and
/// the owner's next request begins anew. Beginning again reuses the memory of the walk before.
package struct Walk: Sendable {
    /// Where the request is.
    enum Phase: Sendable {
        /// The route is not known yet.
        case matching
        /// The middleware that was not entered yet is next.
        case receiving
        /// The policies and the input are next.
        case verifying
        /// The async policies are next.
        case asking
        /// The handler is next.
        case handling
        /// The middleware that was entered has yet to see the response.
        case finishing
    }

    /// The request.
    package internal(set) var request: Request
    /// What the request ends in, once that is known.
    package internal(set) var response = Response.cancel
    /// Whether that is known.
    var hasResponse = false
    /// Whether the handler has said so, not the daemon in its place.
    package internal(set) var isHandled = false
    var phase = Phase.matching
    /// How much of the middleware has received the request and not seen the response.
    var enteredCount = 0
    /// How many of the policies have verified, up to one that looks into the peer.
    var verifiedCount = 0
    /// How many of the async policies have verified.
    var askedCount = 0
    var redirectCount = 0
    /// Whether what was received is a URL at all: it has a scheme, and no raw blank or control character.
    package private(set) var isURL = true
    var captures: [Capture] = []
    /// Whether the stages are only rehearsed, so that no secret is to be compared.
    var isRehearsal = false
    /// Whether another router has admitted its requests already, so that private routes answer all of them.
    let isAdmitted: Bool
    /// Where the answer may go.
    private(set) var callbacks = Callbacks()

    /// Creates a walk for the requests of a peer.
    package init(peer: Peer, origin: Origin, isAdmitted: Bool = false) {
        request = Request(peer: peer, origin: origin)
        self.isAdmitted = isAdmitted
    }

    /// How long the async stages of the route may take together, if the route says so.
    package var timeout: Duration? {
        // As with all that a walk in use is asked for: no caller copies it for a mutating access.
        mutating get { request.matchedRoute?.timeout }
    }

    /// Lends the request, which is not copied.
    package mutating func withRequest(to body: (Request) -> Void) { body(request) }

    /// Answers a request, or goes as far as an async stage.
    ///
    /// - Parameters:
    ///   - line: The URL as received.
    ///   - peer: The process that sent it.
    ///   - origin: The way on which it came in.
    ///   - pipeline: What answers it.
    ///   - state: What stages remember between requests.
    ///   - output: Where the bytes of the answer are appended.
    /// - Returns: The answer that the request is owed, if an async stage is next: ``asyncStage`` is next.
    package mutating func answer(
        _ line: Span<UInt8>, from peer: Peer, origin: Origin, in pipeline: Pipeline, _ state: inout PipelineState,
        into output: inout ByteBuffer
    ) -> PendingAnswer? {
        let answer = begin(line, as: state.nextID(), from: peer, origin: origin, in: pipeline)
        guard advance(in: pipeline, &state) else { return answer }
        write(answer, into: &output)
        return nil
    }

    /// Begins the walk of another request.
    ///
    /// A URL that is malformed, or has a callback that is, ends the walk before anything runs.
    ///
    /// - Parameters:
    ///   - line: The URL as received.
    ///   - id: What the request is called, if it is one of a daemon.
    ///   - peer: The process that sent it.
    ///   - origin: The way on which it came in.
    ///   - pipeline: What answers it.
    /// - Returns: The answer that the request is owed.
    package mutating func begin(
        _ line: Span<UInt8>, as id: RequestID?, from peer: Peer, origin: Origin, in pipeline: Pipeline
    ) -> PendingAnswer {
        reset(peer, origin)
        request.id = id
        do throws(CallbackError) {
            try parse(line, pipeline)
            // An answer is for the call, wherever it wants to lead.
            if request.url.hasCallbacks, ReturnURL.isOne(request.url) { request.url.keepNoCallback() }
            try callbacks.check(request.url, pipeline.callbackRules, origin)
        } catch {
            end(with: .error(error))
        }
        // Else it is still that of the request before, until the route of this one is found.
        if hasResponse { request.matchedRoute = nil }
        return PendingAnswer()
    }

    @inline(__always)
    private mutating func reset(_ peer: Peer, _ origin: Origin) {
        if request.isRedirected { request.restoreURL() }
        if !request.data.isEmpty { request.data = [:] }
        request.peer = peer
        request.origin = origin
        request.receivedOrigin = origin
        hasResponse = false
        isHandled = false
        isURL = true
        phase = .matching
        enteredCount = 0
        verifiedCount = 0
        askedCount = 0
        redirectCount = 0
    }

    /// Lets go of everything that the request has held but memory for the next one.
    ///
    /// - Returns: How many bytes are kept for a URL.
    package mutating func forget() -> Int {
        reset(request.peer, request.origin)
        request.matchedRoute = nil
        response = .cancel
        return request.url.storage.bytes.count
    }

    /// Writes the answer that the request is owed, once ``advance(in:_:)`` has come to an end.
    ///
    /// It is mutating only so that no caller copies the walk for it.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - output: Where the bytes of the answer are appended.
    package mutating func write(_ answer: consuming PendingAnswer, into output: inout ByteBuffer) {
        if request.isRedirected, let received = request.receivedURL {
            answer.write(response, to: callbacks, of: received, into: &output)
        } else {
            answer.write(response, to: callbacks, of: request.url, into: &output)
        }
    }

    @inline(__always)
    private mutating func parse(_ line: Span<UInt8>, _ pipeline: Pipeline) throws(CallbackError) {
        do throws(ActionURLError) {
            try request.url.parse(line, maximumItems: pipeline.maximumParameters)
        } catch {
            if let url = ReturnURL.parse(repairing: line, maximumItems: pipeline.maximumParameters) {
                request.url = url
                return
            }
            isURL = error.reason != .missingScheme && !hasRawControl(line)
            guard isURL else {
                request.url.keepNoCallback()
                return end(with: .error(error.callbackError))
            }
            let isForeign = !request.url.schemeRange.isEmpty && !pipeline.owns(request.url)
            request.url.keepOnlyErrorCallback(of: line)
            end(with: .error(isForeign ? .unknownScheme : error.callbackError))
        }
    }

    /// Ends the walk with a response, before any middleware has seen the request.
    mutating func end(with response: Response) {
        // The first fault is the one that the client hears of.
        if !hasResponse { self.response = response }
        hasResponse = true
        phase = .finishing
        enteredCount = 0
    }
}

extension CallbackError {
    package static let unknownScheme = CallbackError(.unknownAction, "No application answers this scheme here.")
    package static let unknownAction = CallbackError(.unknownAction, "No route answers this action.")
    static let notForAgents = CallbackError(.refused, "This action is not offered to assistants.")
    static let privateRoute = CallbackError(
        .refused, "This action is private: the desktop may ask only for routes with 'public: true'.")
}
