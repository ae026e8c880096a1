package import XCallbackEventLoop
package import XCallbackPipeline

/// The service of a loop whose stages run programs.
package protocol ProgramService: LoopService {
    /// Whether it stops, and serves only what has begun.
    var isStopping: Bool { get }

    /// Whether the time of all requests is over, so that nobody waits for a program any more.
    var isOutOfTime: Bool { get }

    /// Takes a line of the log for a request.
    ///
    /// - Returns: Whether the line may be written.
    func takeLogLine(for request: Request, on loop: isolated EventLoop) -> Bool

    /// Stops the loop if the service stops and nothing is connected any more.
    func stopIfIdle(on loop: isolated EventLoop)
}
