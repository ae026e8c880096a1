import XCallbackEventLoop

/// Sends an event to many streams in batches, so that other work gets its turn in between.
enum FanOut {
    /// The number of streams per turn.
    static let pieceSize = 64

    /// Sends an event.
    ///
    /// - Parameters:
    ///   - event: The event; all streams share its bytes.
    ///   - streams: The streams that receive the event.
    ///   - account: The account that caused the event; its next event waits for this one.
    ///   - loop: The loop of the caller.
    /// - Throws: ``Excess`` if the account has too many events waiting; then no stream receives the event.
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
