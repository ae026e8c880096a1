import XCallbackBytes
import XCallbackEventLoop
import XCallbackPipeline
import XCallbackURL

/// One client's conversation: requests are answered in order, one at a time.
///
/// It starts without a dialect. The client's first byte selects one, and a ``LineSession`` or a ``VarlinkSession``
/// replaces it.
class ClientSession: Session {
    let id: ConnectionID
    let peer: Peer
    /// The account of the peer's user, shared with other connections.
    private(set) var account: Account
    /// The origin of the session's requests: that of its socket.
    let origin: Origin
    let service: RequestService
    /// Whether the service counts this session as waiting.
    var isKnownToWait = false
    /// The request that waits, or whose answer is not written yet; nil if there is none.
    var waiting: WaitingRequest?
    /// The number of started stages of the session's requests, so that each stage has a unique number.
    var stageCount = 0

    /// Whether the client gets a stream of replies, which can lose some, or the end of the stream.
    var isStreaming: Bool { false }

    init(_ id: ConnectionID, from peer: Peer, _ account: Account, _ origin: Origin, service: RequestService) {
        self.id = id
        self.peer = peer
        self.account = account
        self.origin = origin
        self.service = service
    }

    /// Replaces a session without a dialect.
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
            // Other dialects are not supported, so the client gets no answer.
            return Progress(consumed: input.count, need: .close)
        }
        loop.replaceSession(of: id, with: session)
        let rest = input.extracting(start..<input.count)
        let progress = session.proceed(rest, isAtEnd: isAtEnd, &output, on: loop)
        return Progress(consumed: start + progress.consumed, need: progress.need)
    }

    /// Counts the connection among those of the desktop or of assistants.
    ///
    /// - Throws: ``Excess`` if there are too many.
    func move(to kind: AccountClass, on loop: isolated EventLoop) throws(Excess) {
        let other = loop.account(of: peer.userID, kind)
        guard other !== account else { return }
        account.give(.connections)
        do throws(Excess) {
            try other.take(.connections)
        } catch {
            account.hold(.connections, 1)
            throw error
        }
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

    /// Ends waiting work, if any, with a response of the daemon.
    func interrupt(with response: Response, on loop: isolated EventLoop) {
        interruptRequest(with: response, on: loop)
    }

    /// Ends off-loop work for a call, if any, because the time limit for stopping has expired.
    func stopJob(on loop: isolated EventLoop) {}

    /// Ends work that cannot finish after the daemon stops.
    func prepareForStop(on loop: isolated EventLoop) {}
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
}
