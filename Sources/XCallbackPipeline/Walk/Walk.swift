package import XCallbackBytes
import XCallbackRouting
package import XCallbackURL

/// One request on its way through a pipeline: its position and its results so far.
///
/// The walk is synchronous until it reaches an async stage. It is a value: a waiting request keeps its walk, and the
/// owner's next request starts another. A new request reuses the memory of the previous walk.
package struct Walk: Sendable {
    /// The position of the request.
    enum Phase: Sendable {
        /// The route is not known yet.
        case matching
        /// The next middleware runs next.
        case receiving
        /// The policies and the input are next.
        case verifying
        /// The async policies are next.
        case asking
        /// The handler is next.
        case handling
        /// The entered middleware has yet to see the response.
        case finishing
    }

    /// The request.
    package internal(set) var request: Request
    /// The response of the request, once it is known.
    package internal(set) var response = Response.cancel
    /// Whether the response is known.
    var hasResponse = false
    /// Whether the response comes from the handler, rather than from the daemon.
    package internal(set) var isHandled = false
    var phase = Phase.matching
    /// The number of middleware stages that received the request and have not seen the response.
    var enteredCount = 0
    /// The number of policies that have verified, up to one that inspects the peer.
    var verifiedCount = 0
    /// The number of async policies that have verified.
    var askedCount = 0
    var redirectCount = 0
    /// Whether the input is a URL at all: it has a scheme, and no raw space or control character.
    package private(set) var isURL = true
    var captures: [Capture] = []
    /// Whether another router has already admitted its requests, so that private routes answer all of them; what a
    /// redirect leads to is not admitted.
    let isAdmitted: Bool
    /// The possible targets of the answer.
    private(set) var callbacks = Callbacks()

    /// Creates a walk for the requests of a peer.
    package init(peer: Peer, origin: Origin, isAdmitted: Bool = false) {
        request = Request(peer: peer, origin: origin)
        self.isAdmitted = isAdmitted
    }

    /// The time limit of all async stages of the route together, if the route has one.
    package var timeout: Duration? {
        // Mutating, like all accessors of a walk in use: otherwise callers copy it.
        mutating get { request.matchedRoute?.timeout }
    }

    /// Gives access to the request without copying it.
    package mutating func withRequest(to body: (Request) -> Void) { body(request) }

    /// Answers a request, or stops at an async stage.
    ///
    /// - Parameters:
    ///   - line: The URL as received.
    ///   - peer: The process that sent the URL.
    ///   - origin: The origin of the URL.
    ///   - pipeline: The pipeline that answers the request.
    ///   - state: The memory of the stages.
    ///   - output: The buffer to append to.
    /// - Returns: The pending answer if an async stage stops the walk: ``asyncStage`` is next.
    package mutating func answer(
        _ line: Span<UInt8>, from peer: Peer, origin: Origin, in pipeline: Pipeline, _ state: inout PipelineState,
        into output: inout ByteBuffer
    ) -> PendingAnswer? {
        let answer = begin(line, as: state.nextID(), from: peer, origin: origin, in: pipeline)
        guard advance(in: pipeline, &state) else { return answer }
        write(answer, into: &output)
        return nil
    }

    /// Starts the walk of another request.
    ///
    /// A malformed URL or callback ends the walk before any stage runs.
    ///
    /// - Parameters:
    ///   - line: The URL as received.
    ///   - id: The ID of the request, if it is from a daemon.
    ///   - peer: The process that sent the URL.
    ///   - origin: The origin of the URL.
    ///   - pipeline: The pipeline that answers the request.
    /// - Returns: The pending answer to the request.
    package mutating func begin(
        _ line: Span<UInt8>, as id: RequestID?, from peer: Peer, origin: Origin, in pipeline: Pipeline
    ) -> PendingAnswer {
        reset(peer, origin)
        request.id = id
        do throws(CallbackError) {
            try parse(line, pipeline)
            // An answer belongs to the call, whatever its target.
            if request.url.hasCallbacks, ReturnURL.isOne(request.url) { request.url.keepNoCallback() }
            try callbacks.check(request.url, pipeline.callbackRules, origin)
        } catch {
            end(with: .error(error))
        }
        // Otherwise the route is still that of the previous request, until the route of this one is found.
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

    /// Releases everything of the request except memory for the next one.
    ///
    /// - Returns: The number of bytes that stay reserved for a URL.
    package mutating func forget() -> Int {
        reset(request.peer, request.origin)
        request.matchedRoute = nil
        response = .cancel
        return request.url.storage.bytes.count
    }

    /// Writes the pending answer to the request, after ``advance(in:_:)`` has finished.
    ///
    /// The method is mutating only so that callers do not copy the walk.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - output: The buffer to append to.
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

    /// Ends the walk with a response before any middleware has seen the request.
    mutating func end(with response: Response) {
        // The client gets the first fault.
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
