import XCallbackEventLoop

/// Hands an event to many, so many at a time: others have their turns in between.
enum FanOut {
    /// How many get it in a turn.
    static let pieceSize = 64

    /// Hands an event out.
    ///
    /// - Parameters:
    ///   - event: The event, which all share.
    ///   - streams: Who gets it.
    ///   - account: Who has caused it; the next of the same account follows it.
    ///   - loop: The loop that calls.
    /// - Throws: ``Excess`` if the account has so much to hand out that no more may wait; nobody gets it then.
    static func hand(
        _ event: [UInt8], to streams: [ReplyStream], for account: Account, on loop: isolated EventLoop
    ) throws(Excess) {
        if streams.count <= pieceSize, !account.hasWork {
            for stream in streams { stream.add(event) }
            return
        }
        try account.take(.bytes, event.count)
        var rest = streams[...]
        loop.addWork(for: account) {
            for stream in rest.prefix(pieceSize) { stream.add(event) }
            rest = rest.dropFirst(pieceSize)
            if rest.isEmpty { account.give(.bytes, event.count) }
            return rest.isEmpty
        }
    }
}
