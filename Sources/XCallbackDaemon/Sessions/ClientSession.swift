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
    /// What the peer's user holds, together with other connections.
    private(set) var account: Account
    /// The origin of what comes over it: that of its socket.
    let origin: Origin
    let service: RequestService
    /// Whether the service knows that something here waits.
    var isKnownToWait = false
    /// The place of the request that waits, or whose answer is not written yet; nil if there is none.
    var waiting: WaitingPlace?
    /// How many stages of its requests were begun, so that each has a number of its own.
    var stageCount = 0

    /// Whether the client gets a stream, of which it can lose something, or the end of one.
    var isStreaming: Bool { false }

    init(_ id: ConnectionID, from peer: Peer, _ account: Account, _ origin: Origin, service: RequestService) {
        self.id = id
        self.peer = peer
        self.account = account
        self.origin = origin
        self.service = service
    }

    /// Takes the place of a session without a dialect.
    init(replacing other: ClientSession) {
        id = other.id
        peer = other.peer
        account = other.account
        origin = other.origin
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

    /// Counts the connection with what comes from the desktop, or from assistants.
    ///
    /// - Throws: ``Excess`` if there are too many of these.
    func move(to kind: AccountClass, on loop: isolated EventLoop) throws(Excess) {
        guard account.name.kind != kind else { return }
        let other = loop.account(of: peer.userID, kind)
        try other.take(.connections)
        account.give(.connections)
        account = other
        loop.move(id, to: other)
    }

    func refuse(_ fault: InputFault, on loop: isolated EventLoop) -> [UInt8] {
        service.log(fault, of: peer, on: loop)
        return []
    }

    func closed(on loop: isolated EventLoop) {
        abandonRequest(on: loop)
        service.close(self, on: loop)
    }

    /// Ends what waits, if something does, with a response of the daemon.
    func interrupt(with response: Response, on loop: isolated EventLoop) {
        interruptRequest(with: response, on: loop)
    }

    /// Ends what the daemon does beside the loop for a call, if it does, as it has no more time for that.
    func stopJob(on loop: isolated EventLoop) {}

    /// Ends what cannot come to an end any more once the daemon stops, or leaves it to the next daemon.
    func prepareForStop(on loop: isolated EventLoop) {}
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
}

/// Memory for a request that waits, which most connections never need.
final class WaitingPlace {
    var request: WaitingRequest?

    init(_ request: consuming WaitingRequest) {
        self.request = consume request
    }
}
