import XCallbackBytes
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL

/// One client's conversation: requests are answered in order, one at a time.
///
/// It begins without a dialect. The client's first byte tells which one it speaks, and a ``LineSession`` or a
/// ``VarlinkSession`` takes its place.
class ClientSession: Session {
    let id: ConnectionID
    let peer: Peer
    /// What the peer's user has in use, together with other connections.
    let use: RequestService.Use
    let service: RequestService
    var account: TurnAccount { use.turns }
    /// Whether the service knows that something here waits.
    var isKnownToWait = false

    // What `ClientSession+Waiting` keeps.

    var waiting: WaitingRequest?
    /// Where the request is among the deliveries, while its handler is a client that receives.
    var deliverySlot: Int?
    /// Counts the stages that were begun or ended, so that a late outcome is told from the one that is waited for.
    var stageNumber: UInt64 = 0

    init(_ id: ConnectionID, from peer: Peer, _ use: RequestService.Use, service: RequestService) {
        self.id = id
        self.peer = peer
        self.use = use
        self.service = service
    }

    /// Takes the place of a session without a dialect.
    init(replacing other: ClientSession) {
        id = other.id
        peer = other.peer
        use = other.use
        service = other.service
    }

    func proceed(
        _ input: Span<UInt8>, isAtEnd: Bool, _ output: inout ByteBuffer, on loop: isolated EventLoop
    ) -> Progress {
        guard let start = input.indices.first(where: { !isBlank(input[$0]) }) else {
            return Progress(consumed: input.count, need: .input)
        }
        let session: ClientSession
        if isSchemeByte(input[start], isFirst: true) {
            session = LineSession(replacing: self)
        } else if input[start] == UInt8(ascii: "{") {
            session = VarlinkSession(replacing: self)
        } else {
            // No other dialect is spoken: a client that speaks one gets no answer.
            return Progress(consumed: input.count, need: .close)
        }
        loop.replaceSession(of: id, with: session)
        let rest = input.extracting(start..<input.count)
        let progress = session.proceed(rest, isAtEnd: isAtEnd, &output, on: loop)
        return Progress(consumed: start + progress.consumed, need: progress.need)
    }

    func deadlinePassed(on loop: isolated EventLoop) {
        let isAsking = waiting?.held.walk.asyncStage?.limit != nil
        interrupt(with: .error(isAsking ? .nobodyAnswered : .handlerTimedOut), on: loop)
    }

    func closed(on loop: isolated EventLoop) {
        // Nobody is left to answer, but the middleware that the request has met sees its end.
        interrupt(with: .cancel, on: loop)
        if let waiting = waiting.take() {
            waiting.answer.abandon()
            use.requests -= 1
        }
        service.close(self, on: loop)
    }

    /// Ends what waits, if something does, with a response of the daemon.
    func interrupt(with response: Response, on loop: isolated EventLoop) {
        interruptRequest(with: response, on: loop)
    }

    /// Ends what cannot come to an end any more once the daemon stops, or leaves it to the next daemon.
    func prepareForStop(on loop: isolated EventLoop) {}
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
}

extension CallbackError {
    fileprivate static let nobodyAnswered = CallbackError(.timedOut, "Nobody said in time whether this may be done.")
    fileprivate static let handlerTimedOut = CallbackError(.timedOut, "The handler did not answer in time.")
}
